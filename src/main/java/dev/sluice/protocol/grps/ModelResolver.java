package dev.sluice.protocol.grps;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Finds the model that a grps name means. Names are {@code name-version}, and names may have dashes
 * of their own: a model of exactly that name wins; else what follows the last dash is the version,
 * {@code 2} or, as grps users write it, {@code 2.0.0}. A name alone means the latest version, or
 * the first model of that name in the deployment.
 */
public record ModelResolver(DataPlane data, ControlPlane control, Deployment deployment) {
  private static final Pattern VERSION = Pattern.compile("(\\d{1,18})(\\.0+)*");

  /**
   * Acquires the model of a prediction.
   *
   * @param name as the request has it; empty if it names none
   * @throws InferenceException PERMISSION_DENIED, NOT_FOUND, UNAVAILABLE, RESOURCE_EXHAUSTED, or
   *     INVALID_ARGUMENT if no model is named and none is the default
   */
  public ModelLease acquire(String name, Caller caller) {
    String wanted = name.isEmpty() ? defaultName(caller) : name;
    return found(
        find(wanted, caller, Operation.INFER, selector -> data.admit(selector, caller)),
        "[ExecutorException] Not found model: " + wanted);
  }

  /**
   * Returns what a function reads of a model to describe it.
   *
   * @throws InferenceException PERMISSION_DENIED, NOT_FOUND or UNAVAILABLE
   */
  public <T> T describe(String name, Caller caller, Function<ModelLease, T> reader) {
    Operation operation = Operation.MODEL_METADATA;
    ModelLookup lookup =
        find(name, caller, operation, selector -> data.find(selector, caller, operation));
    return found(lookup, "Model not found.").read(reader);
  }

  private static ModelLease found(ModelLookup lookup, String unknown) {
    return switch (lookup) {
      case ModelLookup.Found(ModelLease model) -> model;
      case ModelLookup.NotReady notReady -> throw notReady.unavailable(explain(notReady));
      case ModelLookup.UnknownModel _, ModelLookup.UnknownVersion _, ModelLookup.UnknownLabel _ ->
          throw new InferenceException(ErrorCode.NOT_FOUND, unknown);
    };
  }

  /**
   * Finds the model of a name that can mean several; those that the caller has no right to are not
   * considered.
   */
  private ModelLookup find(
      String name,
      Caller caller,
      Operation operation,
      Function<ModelSelector, ModelLookup> lookupBySelector) {
    ModelLookup found =
        findMeant(
            name,
            selector ->
                caller.may(operation, selector.name())
                    ? lookupBySelector.apply(selector)
                    : new ModelLookup.UnknownModel(selector.name()));
    if (found instanceof ModelLookup.UnknownModel) {
      caller.require(operation, name);
    }
    return found;
  }

  private ModelLookup findMeant(
      String name, Function<ModelSelector, ModelLookup> lookupBySelector) {
    ModelLookup named = findNamed(name, lookupBySelector);
    String full = deployment.names().get(name);
    return full == null || !(named instanceof ModelLookup.UnknownModel)
        ? named
        : findNamed(full, lookupBySelector);
  }

  private static ModelLookup findNamed(
      String name, Function<ModelSelector, ModelLookup> lookupBySelector) {
    ModelLookup exact = lookupBySelector.apply(new ModelSelector.Latest(name));
    int dash = name.lastIndexOf('-');
    if (!(exact instanceof ModelLookup.UnknownModel) || dash < 1) {
      return exact;
    }
    OptionalLong version = version(name.substring(dash + 1));
    return version.isEmpty()
        ? exact
        : lookupBySelector.apply(
            new ModelSelector.Version(name.substring(0, dash), version.getAsLong()));
  }

  private static OptionalLong version(String text) {
    var match = VERSION.matcher(text);
    return match.matches() ? OptionalLong.of(Long.parseLong(match.group(1))) : OptionalLong.empty();
  }

  private String defaultName(Caller caller) {
    return byDefault()
        .orElseThrow(() ->
            InferenceException.invalid(
                "the request names no model, and the setting grps.default_model names none either;"
                    + " models: "
                    + String.join(", ", control.models(caller, Operation.INFER))));
  }

  /**
   * Returns the model that is meant when a request names none: the one of the settings, or the only
   * one.
   */
  Optional<String> byDefault() {
    if (!deployment.defaultModel().isEmpty()) {
      return Optional.of(deployment.defaultModel());
    }
    List<String> models = control.models();
    return models.size() == 1 ? Optional.of(models.getFirst()) : Optional.empty();
  }

  private static String explain(ModelLookup.NotReady notReady) {
    String version = notReady.version() < 0 ? "" : " version " + notReady.version();
    String reason = notReady.reason().isEmpty() ? "" : ": " + notReady.reason();
    return "model %s%s takes no requests, its state is %s%s"
        .formatted(notReady.name(), version, notReady.state(), reason);
  }
}
