package dev.sluice.protocol.v1.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.tensor.NamedTensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the tensors of a predict document for one signature. Borrows the model.
 *
 * <p>Errors name the input, the row and what was found in place of what; nothing is left open on a
 * failure.
 */
record PredictDecoder(
    PredictDocument document,
    ModelLease model,
    Signature signature,
    PredictKeys keys,
    V1Dialect lead) {
  /** Tensors, owned by the caller, and how the answer is to look. */
  record Decoded(List<NamedTensor> inputs, ResponseLayout form) {}

  /**
   * Reads the tensors.
   *
   * @throws InferenceException with INVALID_ARGUMENT if they are not what the signature takes; no
   *     memory is kept then
   */
  Decoded decode() {
    boolean instances = document.instances() >= 0;
    boolean inputs = document.inputs() >= 0;
    if (!instances && !inputs) {
      throw InferenceException.invalid("Missing 'inputs' or 'instances' key");
    }
    if (instances && inputs && keys.columns()) {
      throw InferenceException.invalid(
          "JSON Value: "
              + document.dump()
              + " Not formatted correctly expecting only one of 'inputs' or 'instances' keys to"
              + " exist ");
    }
    return inputs ? inputs() : rows("instances", document.instances());
  }

  private Decoded inputs() {
    if (!keys.columns() || (keys.rows() && isListOfNamedRows())) {
      return rows("inputs", document.inputs());
    }
    JsonCursor in = document.at(document.inputs());
    boolean named = ColumnsDecoder.areNamed(in);
    List<NamedTensor> tensors;
    try (InputBuilders builders = builders(in)) {
      new ColumnsDecoder(in, builders).read();
      tensors = builders.build(bindingModel());
    }
    return new Decoded(
        tensors, keys.rows() && !named ? ResponseLayout.BOTH : ResponseLayout.COLUMNS);
  }

  private InputBuilders builders(JsonCursor in) {
    return new InputBuilders(document.body(), signature, in, lead);
  }

  private boolean isListOfNamedRows() {
    JsonCursor in = document.at(document.inputs());
    if (in.peek() != Kind.ARRAY) {
      return false;
    }
    in.beginArray();
    return in.nextElement() && RowsDecoder.isNamed(in);
  }

  private Decoded rows(String list, int position) {
    JsonCursor in = document.at(position);
    if (in.peek() != Kind.ARRAY) {
      throw lead.refuseNoList(list, document.dump());
    }
    try (InputBuilders builders = builders(in)) {
      if (new RowsDecoder(document.body(), list, in, builders).read() == 0) {
        if (lead.takesNoRows()) {
          return new Decoded(List.of(), ResponseLayout.ROWS);
        }
        throw InferenceException.invalid(
            "JSON Value: " + document.dump() + " No values in '" + list + "' array");
      }
      return new Decoded(builders.build(bindingModel()), ResponseLayout.ROWS);
    }
  }

  private @Nullable String bindingModel() {
    return model.metadata().shapesBind() ? model.id().name() : null;
  }
}
