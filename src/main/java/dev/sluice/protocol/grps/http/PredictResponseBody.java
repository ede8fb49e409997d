package dev.sluice.protocol.grps.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonTensors;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.codec.RawTensors;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.ResponseForm;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/**
 * The encoded answer to a predict request.
 *
 * @param status the HTTP status
 * @param contentType JSON, or an octet stream
 * @param body the bytes
 */
record PredictResponseBody(int status, String contentType, Buffer body) {
  private static final String JSON = "application/json";

  /** Returns whether it is a message, and not bare bytes. */
  boolean isJson() {
    return contentType.equals(JSON);
  }

  void send(HttpExchange http) {
    http.answer(status, contentType, body);
  }

  /** Encodes outputs in the form that fits the request's. */
  static PredictResponseBody of(DataForm asked, InferenceResponse response) {
    String model = ResponseForm.model(response);
    return switch (ResponseForm.of(asked, response)) {
      case ResponseForm.Text(Tensor tensor) -> json(text(model, tensor));
      case ResponseForm.Bytes(Tensor tensor) ->
          new PredictResponseBody(200, "application/octet-stream", bytes(tensor));
      case ResponseForm.Tensors(List<NamedTensor> tensors) ->
          json(MessageJson.tensors(model, tensors));
      case ResponseForm.Entries entries -> json(MessageJson.map(model, entries));
      case ResponseForm.Nothing() -> json(MessageJson.succeed(model, 0).raw('}').toBuffer());
    };
  }

  private static PredictResponseBody json(Buffer body) {
    return new PredictResponseBody(200, JSON, body);
  }

  private static Buffer text(String model, Tensor tensor) {
    var element = new BytesElements(tensor);
    element.next();
    return MessageJson.succeed(model, element.length())
        .raw(",\"str_data\":")
        .string(element.data(), element.offset(), element.length())
        .raw('}')
        .toBuffer();
  }

  private static Buffer bytes(Tensor tensor) {
    byte[] bytes;
    if (tensor.type() == DataType.BYTES) {
      var element = new BytesElements(tensor);
      element.next();
      bytes = element.toArray();
    } else {
      bytes = new byte[Math.toIntExact(tensor.byteSize())];
      RawTensors.write(tensor, bytes, 0);
    }
    return Buffers.wrap(bytes);
  }

  /**
   * Encodes the only output as nested lists.
   *
   * @throws InferenceException INTERNAL, as the native server has it, if there is not one output of
   *     32-bit numbers, or a plugin says that it is something else
   */
  static PredictResponseBody ndArray(InferenceResponse response) {
    List<NamedTensor> outputs =
        ResponseForm.of(DataForm.NDARRAY, response)
                instanceof ResponseForm.Tensors(List<NamedTensor> tensors)
            ? tensors
            : List.of();
    if (outputs.isEmpty()) {
      throw impossible("No tensors in output. Cannot convert to ndarray.");
    }
    if (outputs.size() > 1) {
      throw impossible("NDArray only support one tensor");
    }
    Tensor tensor = outputs.getFirst().tensor();
    if (GrpsType.of(tensor.type()) != GrpsType.FLOAT32) {
      throw impossible("NDArray only support float32");
    }
    JsonWriter out = MessageJson.begin(GrpsStatus.OK, JsonTensors.likelySize(tensor));
    TensorJson.nested(tensor, out.raw(",\"ndarray\":"));
    return json(out.raw('}').toBuffer());
  }

  private static InferenceException impossible(String why) {
    return new InferenceException(ErrorCode.INTERNAL, why);
  }
}
