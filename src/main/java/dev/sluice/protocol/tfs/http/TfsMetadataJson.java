package dev.sluice.protocol.tfs.http;

import dev.sluice.inference.CompositeTensor;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.tfs.json.TensorInfoJson;
import dev.sluice.protocol.tfs.json.TensorProtoJson;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes a model's signatures as TensorFlow Serving does, those of other formats too: under
 * TensorFlow's names for types.
 */
final class TfsMetadataJson {
  private final JsonWriter out;

  private TfsMetadataJson(JsonWriter out) {
    this.out = out;
  }

  /** Writes {@code model_spec} and {@code metadata}. */
  static void write(ModelId id, ModelMetadata model, JsonWriter out) {
    out.raw("\"model_spec\":{").key("name").string(id.name());
    out.raw(",\"signature_name\":\"\",\"version\":\"").number(id.version()).raw("\"},");
    // Twice the same key: the outer one names the field, the inner one is that of the message.
    out.raw("\"metadata\":{\"signature_def\":{\"signature_def\":{");
    new TfsMetadataJson(out).signatures(List.copyOf(model.signatures().values()));
    out.raw("}}}");
  }

  private void signatures(List<Signature> signatures) {
    for (int i = 0; i < signatures.size(); i++) {
      comma(i);
      signature(signatures.get(i));
    }
  }

  private void signature(Signature signature) {
    out.key(signature.name()).raw("{\"inputs\":{");
    tensors(signature.inputs(), signature.compositeInputs());
    out.raw("},\"outputs\":{");
    tensors(signature.outputs(), signature.compositeOutputs());
    out.raw("},").key("method_name").string(signature.method()).raw(",\"defaults\":{");
    defaults(signature);
    out.raw("}}");
  }

  private void defaults(Signature signature) {
    int written = 0;
    for (TensorSpec spec : signature.inputs()) {
      ByteBuffer value = signature.defaults().get(spec.name());
      if (value != null) {
        comma(written++);
        out.key(spec.name());
        TensorProtoJson.write(value.duplicate(), type(spec), out);
      }
    }
  }

  /**
   * Writes the tensors; one of several components is written as the model declares it, not by its
   * components.
   */
  private void tensors(List<TensorSpec> specs, Map<String, CompositeTensor> composites) {
    Set<String> components =
        composites.values().stream()
            .flatMap(composite -> composite.components().stream())
            .collect(Collectors.toSet());
    int written = 0;
    for (TensorSpec spec : specs) {
      if (!components.contains(spec.name())) {
        comma(written++);
        tensor(spec);
      }
    }
    for (Map.Entry<String, CompositeTensor> composite : new TreeMap<>(composites).entrySet()) {
      comma(written++);
      out.key(composite.getKey());
      TensorInfoJson.write(composite.getValue().declaration().duplicate(), out);
    }
  }

  private void tensor(TensorSpec spec) {
    out.key(spec.name()).raw('{').key("dtype").string(type(spec)).raw(",\"tensor_shape\":");
    shape(spec.shape());
    out.raw(',').key("name").string(spec.nativeName()).raw('}');
  }

  private static String type(TensorSpec spec) {
    return "DT_" + TensorflowTypeNames.of(spec).toUpperCase(Locale.ROOT);
  }

  private void shape(Shape shape) {
    out.raw("{\"dim\":[");
    for (int i = 0; i < shape.rank(); i++) {
      comma(i);
      out.raw("{\"size\":\"").number(shape.dim(i)).raw("\",\"name\":\"\"}");
    }
    out.raw("],\"unknown_rank\":").bool(!shape.isRankKnown()).raw('}');
  }

  private void comma(int index) {
    if (index > 0) {
      out.raw(',');
    }
  }
}
