package dev.sluice.protocol.tfs.lookup;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import java.util.Optional;

/**
 * Errors for lookups without a result. A version that is unloading or has ended is NOT_FOUND, as in
 * TensorFlow Serving, whose requests see loaded versions only; one that is still loading, which is
 * NOT_FOUND there, is UNAVAILABLE here, so that callers and load balancers try again.
 */
public final class ServableErrors {
  private ServableErrors() {}

  /**
   * Returns the error for a request to a model that takes none.
   *
   * @param asked as the request names it
   */
  public static InferenceException refuse(ModelSelector asked, ModelLookup.Missed missed) {
    return switch (missed) {
      case ModelLookup.UnknownModel _ -> unknown(asked);
      case ModelLookup.UnknownVersion(var name, var version) ->
          notServed(new ModelSelector.Version(name, version));
      case ModelLookup.UnknownLabel(_, var label) -> unknownLabel(label);
      case ModelLookup.NotReady notReady -> notReady(asked, notReady);
    };
  }

  /**
   * Returns the error for a status of versions that are not known.
   *
   * @param asked as the request names them
   * @param absence the reason why the model has no version, if there is more to say
   */
  public static InferenceException noStatus(ModelSelector asked, Optional<String> absence) {
    String wanted =
        switch (asked) {
          case ModelSelector.Latest(var name) -> "any versions of model " + name;
          case ModelSelector.Version(var name, var version) ->
              "version " + version + " of model " + name;
          case ModelSelector.Label(var name, var label) -> "label " + label + " of model " + name;
        };
    return notFound("Could not find " + wanted + absence.map(why -> ": " + why).orElse(""));
  }

  private static InferenceException unknown(ModelSelector asked) {
    return asked instanceof ModelSelector.Label(_, var label)
        ? unknownLabel(label)
        : notServed(asked);
  }

  private static InferenceException notReady(ModelSelector asked, ModelLookup.NotReady found) {
    ModelSelector meant = asked instanceof ModelSelector.Latest ? asked : version(asked, found);
    return switch (found.state()) {
      case START, LOADING, AVAILABLE ->
          found.unavailable(
              "Servable not ready for request: "
                  + request(meant)
                  + (found.reason().isEmpty() ? "" : ": " + found.reason()));
      case UNLOADING, END -> notServed(meant);
    };
  }

  /** Returns the version that a label means, if that is known. */
  private static ModelSelector version(ModelSelector asked, ModelLookup.NotReady found) {
    return found.version() < 0 ? asked : new ModelSelector.Version(found.name(), found.version());
  }

  private static String request(ModelSelector asked) {
    return switch (asked) {
      case ModelSelector.Latest(var name) -> "Latest(" + name + ")";
      case ModelSelector.Version(var name, var version) ->
          "Specific(" + name + ", " + version + ")";
      case ModelSelector.Label(var name, var label) -> "Label(" + name + ", " + label + ")";
    };
  }

  private static InferenceException notServed(ModelSelector asked) {
    return notFound("Servable not found for request: " + request(asked));
  }

  private static InferenceException notFound(String text) {
    return new InferenceException(ErrorCode.NOT_FOUND, text);
  }

  private static InferenceException unknownLabel(String label) {
    return InferenceException.invalid("Unrecognized servable version label: " + label);
  }
}
