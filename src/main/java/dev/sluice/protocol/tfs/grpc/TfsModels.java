package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.Caller;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Operation;
import dev.sluice.inference.VersionState;

/** Finds models, and says in TensorFlow Serving's words why not. Any thread. */
final class TfsModels {
  private TfsModels() {}

  /**
   * Acquires a model to describe it; the caller releases it.
   *
   * @throws InferenceException if it is not there, takes no requests or is not this caller's to see
   */
  static ModelLease find(DataPlane data, ModelSelector selector, Caller caller) {
    return found(data.find(selector, caller, Operation.MODEL_METADATA), selector);
  }

  /**
   * Borrows a model for one request to it; see {@link DataPlane#admit}.
   *
   * @throws InferenceException as {@link #find} does, or RESOURCE_EXHAUSTED
   */
  static ModelLease admit(DataPlane data, ModelSelector selector, Caller caller) {
    return found(data.admit(selector, caller), selector);
  }

  private static ModelLease found(ModelLookup lookup, ModelSelector selector) {
    return switch (lookup) {
      case ModelLookup.Found(var model) -> model;
      case ModelLookup.UnknownModel _ -> throw unknown(selector);
      case ModelLookup.UnknownVersion(var name, var version) -> throw unknownVersion(name, version);
      case ModelLookup.UnknownLabel(_, var label) -> throw unknownLabel(label);
      case ModelLookup.NotReady notReady -> throw notReady(selector, notReady);
    };
  }

  private static InferenceException unknown(ModelSelector selector) {
    return switch (selector) {
      case ModelSelector.Latest(var name) -> notFound("Latest(" + name + ")");
      case ModelSelector.Version(var name, var version) -> unknownVersion(name, version);
      case ModelSelector.Label(_, var label) -> unknownLabel(label);
    };
  }

  private static InferenceException unknownVersion(String name, long version) {
    return notFound("Specific(" + name + ", " + version + ")");
  }

  private static InferenceException notFound(String servable) {
    return new InferenceException(
        ErrorCode.NOT_FOUND, "Servable not found for request: " + servable);
  }

  private static InferenceException unknownLabel(String label) {
    return InferenceException.invalid("Unrecognized servable version label: " + label);
  }

  private static InferenceException notReady(ModelSelector selector, ModelLookup.NotReady found) {
    return switch (found.state()) {
      case START, LOADING, AVAILABLE -> unavailable(found);
      case UNLOADING, END ->
          selector instanceof ModelSelector.Latest
              ? unknown(selector)
              : unknownVersion(found.name(), found.version());
    };
  }

  private static InferenceException unavailable(ModelLookup.NotReady found) {
    String version = found.version() < 0 ? "" : " version " + found.version();
    String reason = found.reason().isEmpty() ? "" : ": " + found.reason();
    return found.unavailable(
        "model " + found.name() + version + " is " + text(found.state()) + reason);
  }

  private static String text(VersionState state) {
    return switch (state) {
      case START -> "not loaded yet";
      case LOADING -> "loading";
      case AVAILABLE -> "not taking requests";
      case UNLOADING -> "unloading";
      case END -> "unloaded";
    };
  }
}
