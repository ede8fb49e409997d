package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonTensors;
import dev.sluice.protocol.codec.JsonTensors.BytesForm;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.oip.SharedMemorySlice;
import dev.sluice.protocol.oip.http.json.BytesText;
import dev.sluice.protocol.oip.http.json.OutputForms;
import dev.sluice.protocol.oip.http.json.ResponseParametersJson;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import io.vertx.core.buffer.Buffer;
import java.util.Map;

/**
 * Turns a model's answer into a body: JSON, and behind it the outputs wanted as binary data.
 *
 * <p>Binary outputs are written behind the JSON in the order of its list, as the binary tensor data
 * extension demands.
 */
final class InferEncoder {
  private static final BytesForm BASE64 = (element, out) -> out.base64(element.toArray());

  /** Bytes of JSON around the values of one output, and around all of them, without names. */
  private static final int FRAME = 96;

  private final InferenceResponse response;
  private final String id;
  private final OutputForms forms;
  private final JsonWriter out;

  private InferEncoder(InferenceResponse response, String id, OutputForms forms) {
    this.response = response;
    this.id = id;
    this.forms = forms;
    this.out = new JsonWriter((int) Math.min(likelySize(response, forms), Integer.MAX_VALUE / 2));
  }

  /**
   * A body and its form.
   *
   * @param body all of it
   * @param jsonLength bytes of JSON at its front
   * @param hasBinary whether anything follows the JSON
   */
  record Encoded(Buffer body, int jsonLength, boolean hasBinary) {}

  /** Returns the number of bytes that a response is likely to take. */
  static long likelySize(InferenceResponse response, OutputForms forms) {
    long size = (long) FRAME + response.model().name().length();
    for (NamedTensor output : response.outputs()) {
      size += FRAME + output.name().length();
      size +=
          forms.isBinary(output.name()) || forms.slot(output.name()) != null
              ? output.tensor().byteSize()
              : JsonTensors.likelySize(output.tensor());
    }
    return size;
  }

  /** Encodes a response, which stays the caller's. */
  static Encoded encode(InferenceResponse response, String id, OutputForms forms) {
    return new InferEncoder(response, id, forms).encode();
  }

  private Encoded encode() {
    json();
    int length = out.size();
    for (NamedTensor output : response.outputs()) {
      if (forms.isBinary(output.name()) && forms.slot(output.name()) == null) {
        out.raw(output.tensor().data());
      }
    }
    boolean hasBinary = out.size() > length;
    return new Encoded(out.toBuffer(), length, hasBinary);
  }

  private void json() {
    out.raw('{');
    if (!id.isEmpty()) {
      out.raw("\"id\":").string(id).raw(',');
    }
    out.raw("\"model_name\":").string(response.model().name());
    out.raw(",\"model_version\":\"").number(response.model().version()).raw('"');
    if (!response.parameters().isEmpty()) {
      out.raw(",\"parameters\":");
      ResponseParametersJson.object(response.parameters(), out);
    }
    out.raw(",\"outputs\":[");
    String comma = "";
    for (NamedTensor output : response.outputs()) {
      out.raw(comma);
      output(output.name(), output.tensor());
      comma = ",";
    }
    out.raw("]}");
  }

  private void output(String name, Tensor tensor) {
    out.raw("{\"name\":").string(name);
    out.raw(",\"datatype\":\"").raw(tensor.type().name());
    out.raw("\",\"shape\":");
    shape(tensor.shape());
    SharedMemorySlice slot = forms.slot(name);
    if (slot != null) {
      slot.write(name, tensor);
      Map<String, ParameterValue> said = slot.parameters();
      // Triton's C++ client takes every output with parameters for binary data.
      said.put("binary_data_size", new ParameterValue.Whole(0, false));
      out.raw(",\"parameters\":");
      ResponseParametersJson.object(said, out);
    } else if (forms.isBinary(name)) {
      out.raw(",\"parameters\":{\"binary_data_size\":").number(tensor.byteSize()).raw('}');
    } else if (tensor.type() == DataType.BYTES && !BytesText.isText(tensor)) {
      out.raw(",\"parameters\":{\"content_type\":\"base64\"}");
      data(tensor, BASE64);
    } else {
      data(tensor, BytesForm.TEXT);
    }
    out.raw('}');
  }

  private void shape(Shape shape) {
    out.raw('[');
    for (int i = 0; i < shape.rank(); i++) {
      if (i > 0) {
        out.raw(',');
      }
      out.number(shape.dim(i));
    }
    out.raw(']');
  }

  private void data(Tensor tensor, BytesForm form) {
    out.raw(",\"data\":");
    new JsonTensors(tensor, out, form).flat();
  }
}
