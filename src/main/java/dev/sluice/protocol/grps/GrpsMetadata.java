package dev.sluice.protocol.grps;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes grps' metadata of the server and its models: YAML text with the keys of the files that a
 * grps deployment is configured by, as far as they mean something here.
 */
public record GrpsMetadata(ModelResolver models, ControlPlane control, Deployment deployment) {
  /** Loaded when metadata is asked for the first time: most servers never are. */
  private static final class Yaml {
    private static final YAMLMapper MAPPER =
        YAMLMapper.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .build();
  }

  /**
   * Returns the deployment's files, or else the address that was asked, and all models with their
   * versions.
   */
  public String server(Caller caller) {
    if (!deployment.serverText().isEmpty()) {
      return deployment.serverText();
    }
    var address = new LinkedHashMap<String, Object>();
    address.put("framework", "http+grpc");
    address.put("address", caller.listener());
    var served = new ArrayList<Map<String, Object>>();
    for (String model : control.models()) {
      for (VersionStatus status : control.versions(model).orElse(List.of())) {
        served.add(version(model, status));
      }
    }
    var server = new LinkedHashMap<String, Object>();
    server.put("interface", address);
    server.put("online", control.online());
    server.put("models", served);
    models.byDefault().ifPresent(model -> server.put("dag", dag(model)));
    return yaml(server);
  }

  /** Returns the metadata of a DAG: the default model is what grps calls a DAG of one node. */
  private static Map<String, Object> dag(String model) {
    var node = new LinkedHashMap<String, Object>();
    node.put("name", model);
    node.put("type", "model");
    node.put("model", model);
    var dag = new LinkedHashMap<String, Object>();
    dag.put("type", "sequential");
    dag.put("name", "default");
    dag.put("nodes", List.of(node));
    return dag;
  }

  private static Map<String, Object> version(String model, VersionStatus status) {
    var entry = new LinkedHashMap<String, Object>();
    entry.put("name", model);
    entry.put("version", Long.toString(status.version()));
    entry.put("state", status.state().name());
    return entry;
  }

  /**
   * Returns one model.
   *
   * @param name a model's name, or {@code name-version}
   * @throws InferenceException INVALID_ARGUMENT for an empty name, NOT_FOUND for an unknown one
   */
  public String model(String name, Caller caller) {
    if (name.isEmpty()) {
      throw InferenceException.invalid("The model name is empty.");
    }
    return models.describe(name, caller, this::text);
  }

  private String text(ModelLease model) {
    String declared = deployment.modelTexts().get(model.id().name());
    return declared == null ? describe(model) : declared + yaml(signatures(model));
  }

  private static String describe(ModelLease model) {
    var description = new LinkedHashMap<String, Object>();
    description.put("name", model.id().name());
    description.put("version", Long.toString(model.id().version()));
    description.put("inferer_type", infererType(model.metadata().platform()));
    description.putAll(signatures(model));
    return yaml(description);
  }

  private static Map<String, Object> signatures(ModelLease model) {
    var description = new LinkedHashMap<String, Object>();
    var signatures = model.metadata().signatures();
    if (signatures.size() == 1) {
      describe(signatures.values().iterator().next(), description);
    } else {
      var all = new LinkedHashMap<String, Object>();
      signatures.forEach((name, signature) -> all.put(name, describe(signature)));
      description.put("signatures", all);
    }
    return description;
  }

  /** grps has a word for TensorFlow; for what it does not know, the platform's own name is best. */
  private static String infererType(String platform) {
    return platform.equals("tensorflow_savedmodel") ? "tensorflow" : platform;
  }

  private static Map<String, Object> describe(Signature signature) {
    var description = new LinkedHashMap<String, Object>();
    describe(signature, description);
    return description;
  }

  private static void describe(Signature signature, Map<String, Object> into) {
    into.put("inputs", tensors(signature.inputs()));
    into.put("outputs", tensors(signature.outputs()));
  }

  private static List<Map<String, Object>> tensors(List<TensorSpec> specs) {
    var tensors = new ArrayList<Map<String, Object>>();
    for (TensorSpec spec : specs) {
      var tensor = new LinkedHashMap<String, Object>();
      tensor.put("name", spec.name());
      tensor.put("dtype", dtype(spec));
      tensor.put("datatype", spec.type().name());
      tensor.put("shape", spec.shape().isRankKnown() ? spec.shape().dims() : "unknown");
      tensors.add(tensor);
    }
    return tensors;
  }

  private static String dtype(TensorSpec spec) {
    return spec.type().isCommon() ? GrpsType.of(spec.type()).wireName() : "DT_INVALID";
  }

  private static String yaml(Map<String, Object> document) {
    try {
      return Yaml.MAPPER.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new InferenceException(ErrorCode.INTERNAL, "metadata cannot be written", e);
    }
  }
}
