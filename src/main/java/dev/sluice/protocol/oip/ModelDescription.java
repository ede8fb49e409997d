package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelConfiguration;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Optional;

/**
 * Builds a model's metadata and configuration in the protocol's words. Inputs and outputs are those
 * of the default signature; a model without one shows none.
 *
 * @param name its name
 * @param versions the versions that take requests, ascending; the one asked for, if one was
 * @param platform its format
 * @param backend what runs it
 * @param maxBatchSize rows that one request may have; 0 if its first dimension is not a batch
 * @param inputs in the order declared
 * @param outputs in the order declared
 */
public record ModelDescription(
    String name,
    List<Long> versions,
    String platform,
    String backend,
    int maxBatchSize,
    List<TensorSpec> inputs,
    List<TensorSpec> outputs) {

  /**
   * Describes a model that takes requests.
   *
   * @throws InferenceException as {@link OipModels#found} does, or PERMISSION_DENIED
   */
  public static ModelDescription of(OipServer server, ModelSelector selector, Caller caller) {
    return OipModels.found(server.data().find(selector, caller, Operation.MODEL_METADATA))
        .read(model -> of(model, versions(server, selector, model)));
  }

  /**
   * Returns the whole configuration of a model that takes requests: see {@link
   * ModelLease#configuration}.
   *
   * @throws InferenceException as {@link OipModels#found} does, or PERMISSION_DENIED
   */
  public static ModelConfiguration configuration(
      OipServer server, ModelSelector selector, Caller caller) {
    return OipModels.found(server.data().find(selector, caller, Operation.MODEL_CONFIG))
        .read(ModelLease::configuration);
  }

  private static ModelDescription of(ModelLease model, List<Long> versions) {
    Optional<Signature> signature = OipModels.defaultSignature(model);
    String platform = model.metadata().platform();
    return new ModelDescription(
        model.id().name(),
        versions,
        platform,
        platform.substring(0, Math.max(platform.indexOf('_'), 0)),
        model.metadata().maxBatchSize(),
        signature.map(Signature::inputs).orElse(List.of()),
        signature.map(Signature::outputs).orElse(List.of()));
  }

  private static List<Long> versions(OipServer server, ModelSelector selector, ModelLease model) {
    if (!(selector instanceof ModelSelector.Latest)) {
      return List.of(model.id().version());
    }
    return server.control().versions(selector.name()).orElse(List.of()).stream()
        .filter(status -> status.state() == VersionState.AVAILABLE)
        .map(VersionStatus::version)
        .toList();
  }
}
