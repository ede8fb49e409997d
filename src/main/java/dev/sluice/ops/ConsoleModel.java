package dev.sluice.ops;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Writes what the console's form for a model is made of: the signatures of its versions, and what
 * the caller may do with it. Any thread.
 *
 * @param control source of the versions
 * @param data source of their signatures
 */
public record ConsoleModel(ControlPlane control, DataPlane data) {
  private static final List<Operation> OFFERED =
      List.of(Operation.INFER, Operation.EXPLAIN, Operation.MODEL_METADATA);

  boolean isKnown(String name) {
    return control.versions(name).isPresent();
  }

  JsonObject json(String name, Caller caller) {
    var versions = new JsonArray();
    for (VersionStatus status : control.versions(name).orElse(List.of())) {
      versions.add(version(name, status, caller));
    }
    return new JsonObject()
        .put("name", name)
        .put("known", isKnown(name))
        .put("rights", rights(name, caller))
        .put("versions", versions);
  }

  /** For each operation what stands against it, or an empty text. */
  private static JsonObject rights(String name, Caller caller) {
    var rights = new JsonObject();
    for (Operation operation : OFFERED) {
      rights.put(operation.text(), refusal(operation, name, caller));
    }
    return rights;
  }

  private static String refusal(Operation operation, String name, Caller caller) {
    try {
      caller.require(operation, name);
      return "";
    } catch (InferenceException e) {
      return e.getMessage();
    }
  }

  private JsonObject version(String name, VersionStatus status, Caller caller) {
    var json = new JsonObject().put("version", Long.toString(status.version()));
    try {
      var selector = new ModelSelector.Version(name, status.version());
      if (data.find(selector, caller, Operation.MODEL_METADATA)
          instanceof ModelLookup.Found(var lease)) {
        lease.read(model -> json.mergeIn(metadata(model.metadata())));
      }
    } catch (InferenceException e) {
      json.put("refused", e.getMessage());
    }
    return json;
  }

  private static JsonObject metadata(ModelMetadata metadata) {
    var signatures = new JsonArray();
    for (Signature signature : metadata.signatures().values()) {
      signatures.add(
          new JsonObject()
              .put("name", signature.name())
              .put("method", signature.method())
              .put("inputs", tensors(signature.inputs()))
              .put("outputs", tensors(signature.outputs())));
    }
    return new JsonObject()
        .put("platform", metadata.platform())
        .put("max_batch_size", metadata.maxBatchSize())
        .put("decoupled", metadata.decoupled())
        .put("open", metadata.open())
        .put("signatures", signatures);
  }

  private static JsonArray tensors(List<TensorSpec> specs) {
    var tensors = new JsonArray();
    for (TensorSpec spec : specs) {
      var json =
          new JsonObject()
              .put("name", spec.name())
              .put("type", spec.type().name())
              .put("optional", spec.optional());
      if (spec.shape().isRankKnown()) {
        var shape = new JsonArray();
        for (long dim : spec.shape().dims()) {
          shape.add(dim);
        }
        json.put("shape", shape);
      }
      tensors.add(json);
    }
    return tensors;
  }
}
