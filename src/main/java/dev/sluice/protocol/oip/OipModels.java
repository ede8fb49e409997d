package dev.sluice.protocol.oip;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import java.util.Map;
import java.util.Optional;

/**
 * Finding models and their signatures, and Triton's words for not finding them.
 *
 * <p>Errors are worded as Triton words them for an unknown model, an unknown version and one that
 * is not ready.
 */
public final class OipModels {
  private OipModels() {}

  /**
   * Requires that a model takes requests, and that the caller may do an operation on it.
   *
   * @throws InferenceException as {@link #found} does, or PERMISSION_DENIED
   */
  public static void require(
      DataPlane data, ModelSelector selector, Caller caller, Operation operation) {
    found(data.find(selector, caller, operation)).read(ModelLease::id);
  }

  /**
   * Acquires a model for one request to it; see {@link DataPlane#admit}.
   *
   * @throws InferenceException as {@link #found} does, or PERMISSION_DENIED or RESOURCE_EXHAUSTED
   */
  public static ModelLease admit(DataPlane data, ModelSelector selector, Caller caller) {
    return found(data.admit(selector, caller));
  }

  /**
   * Acquires a model that gives each request one answer, for one request to it.
   *
   * @param endpoint the one that was called, for the text
   * @throws InferenceException as {@link #admit} does, or UNIMPLEMENTED
   */
  public static ModelLease admitForOne(
      DataPlane data, ModelSelector selector, Caller caller, String endpoint) {
    return admit(data, selector, caller).handOver(model -> requireOneAnswer(model, endpoint));
  }

  private static ModelLease requireOneAnswer(ModelLease model, String endpoint) {
    if (!model.metadata().answersOnce()) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          endpoint + " doesn't support models with decoupled transaction policy");
    }
    return model;
  }

  /**
   * Returns the lease of the model that was found.
   *
   * @throws InferenceException NOT_FOUND if there is no such model or version, UNAVAILABLE if it
   *     takes no requests now
   */
  public static ModelLease found(ModelLookup lookup) {
    return switch (lookup) {
      case ModelLookup.Found(ModelLease model) -> model;
      case ModelLookup.UnknownModel(String name) -> unknown(name, " is not found");
      case ModelLookup.UnknownVersion(String name, long version) ->
          unknown(name, " version " + version + " is not found");
      case ModelLookup.UnknownLabel(String name, String label) ->
          unknown(name, " version '" + Excerpt.of(label) + "' is not found");
      case ModelLookup.NotReady miss -> throw notReady(miss);
    };
  }

  /**
   * Returns whether a model that was found is ready, and releases its lease.
   *
   * @throws InferenceException as {@link #found} does
   */
  public static boolean isReady(ModelLookup lookup) {
    return found(lookup).read(model -> model.problem().isEmpty());
  }

  private static ModelLease unknown(String name, String what) {
    throw new InferenceException(ErrorCode.NOT_FOUND, forModel(name) + what);
  }

  /** Returns the error for a model, or a version of one, that takes no requests now. */
  static InferenceException notReady(ModelLookup.NotReady miss) {
    String reason = miss.reason().isEmpty() ? "" : ": " + miss.reason();
    if (miss.version() >= 0) {
      String what = " version " + miss.version() + " is not at ready state";
      return miss.unavailable(forModel(miss.name()) + what + reason);
    }
    // A model that has come to its end will not be there soon; one on its way will.
    String text = forModel(miss.name()) + " has no available versions" + reason;
    return miss.state() == VersionState.END
        ? new InferenceException(ErrorCode.NOT_FOUND, text)
        : miss.unavailable(text);
  }

  private static String forModel(String name) {
    return "Request for unknown model: '" + Excerpt.of(name) + "'";
  }

  /**
   * Returns the signature that a request means. Without a name it is {@code serving_default}, or
   * the only one there is.
   *
   * @param name from the request; empty if it names none
   * @throws InferenceException with INVALID_ARGUMENT, naming the signatures there are
   */
  public static Signature signature(ModelLease model, String name) {
    Map<String, Signature> all = model.metadata().signatures();
    Optional<Signature> found =
        name.isEmpty() ? defaultSignature(model) : Optional.ofNullable(all.get(name));
    return found.orElseThrow(() ->
        InferenceException.invalid(
            "model '"
                + model.id().name()
                + "' has "
                + (name.isEmpty()
                    ? "no default signature"
                    : "no signature '" + Excerpt.of(name) + "'")
                + ". Name one of "
                + Excerpt.of(all.keySet())
                + " in the request parameter 'signature_name'."));
  }

  /** Returns the signature that a request means when it names none. */
  static Optional<Signature> defaultSignature(ModelLease model) {
    Map<String, Signature> all = model.metadata().signatures();
    Signature named = all.get(Signature.DEFAULT);
    if (named == null && all.size() == 1) {
      return Optional.of(all.values().iterator().next());
    }
    return Optional.ofNullable(named);
  }
}
