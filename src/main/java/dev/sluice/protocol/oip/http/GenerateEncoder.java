package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonTensors;
import dev.sluice.protocol.codec.JsonTensors.BytesForm;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.oip.http.json.BytesText;
import dev.sluice.protocol.oip.http.json.ResponseParametersJson;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import io.vertx.core.buffer.Buffer;

/** Writes a model's answer as the flat JSON of the generate extension. */
final class GenerateEncoder {
  private GenerateEncoder() {}

  /**
   * Encodes a response, which stays the caller's.
   *
   * @param id the caller's name for the request; empty if it gave none
   * @throws InferenceException with INVALID_ARGUMENT if an output is bytes that are no text
   */
  static Buffer encode(InferenceResponse response, String id) {
    var out = new JsonWriter(256);
    out.raw('{');
    if (!id.isEmpty()) {
      out.raw("\"id\":").string(id).raw(',');
    }
    out.raw("\"model_name\":").string(response.model().name());
    out.raw(",\"model_version\":\"").number(response.model().version()).raw('"');
    response
        .parameters()
        .forEach((name, value) -> {
          out.raw(',').key(name);
          ResponseParametersJson.value(value, out);
        });
    for (NamedTensor output : response.outputs()) {
      out.raw(',').key(output.name());
      values(output, out);
    }
    return out.raw('}').toBuffer();
  }

  private static void values(NamedTensor output, JsonWriter out) {
    Tensor tensor = output.tensor();
    if (tensor.type() == DataType.BYTES && !BytesText.isText(tensor)) {
      throw InferenceException.invalid(
          "output '" + output.name() + "' is not text: ask for it by infer, which can send bytes");
    }
    var json = new JsonTensors(tensor, out, BytesForm.TEXT);
    if (tensor.elementCount() == 1) {
      json.single();
    } else {
      json.flat();
    }
  }
}
