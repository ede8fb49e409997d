package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.tfs.lookup.ServableErrors;
import java.util.function.Function;

/** Finds models, and says in TensorFlow Serving's words why not. Any thread. */
final class TfsModels {
  private TfsModels() {}

  /**
   * Returns what a function reads of a model to describe it.
   *
   * @throws InferenceException if it is not there, takes no requests or is not this caller's to see
   */
  static <T> T describe(
      DataPlane data, ModelSelector selector, Caller caller, Function<ModelLease, T> reader) {
    return found(data.find(selector, caller, Operation.MODEL_METADATA), selector).read(reader);
  }

  /**
   * Acquires a model for one request to it; see {@link DataPlane#admit}.
   *
   * @throws InferenceException as {@link #describe} does, or RESOURCE_EXHAUSTED
   */
  static ModelLease admit(DataPlane data, ModelSelector selector, Caller caller) {
    return found(data.admit(selector, caller), selector);
  }

  private static ModelLease found(ModelLookup lookup, ModelSelector selector) {
    return switch (lookup) {
      case ModelLookup.Found(var model) -> model;
      case ModelLookup.Missed missed -> throw ServableErrors.refuse(selector, missed);
    };
  }
}
