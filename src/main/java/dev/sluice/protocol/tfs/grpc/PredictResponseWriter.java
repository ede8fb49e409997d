package dev.sluice.protocol.tfs.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.fieldSize;

import com.google.protobuf.Int64Value;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.wire.EncodedOutput;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/** Writes a PredictResponse into one array of the right size. */
final class PredictResponseWriter {
  private static final int MODEL_SPEC = PredictResponse.MODEL_SPEC_FIELD_NUMBER;

  private PredictResponseWriter() {}

  /**
   * Returns the message.
   *
   * @param response borrowed
   */
  static Buffer write(InferenceResponse response, PredictSettings settings) {
    byte[] spec = modelSpec(response.model(), response.signature().name()).toByteArray();
    List<EncodedOutput> outputs = new ArrayList<>(response.outputs().size());
    long size = fieldSize(MODEL_SPEC, spec.length);
    for (NamedTensor output : response.outputs()) {
      var encoded = new EncodedOutput(output, settings.tensorContent());
      outputs.add(encoded);
      size += encoded.size();
    }
    ProtobufWriter out = open(size);
    outputs.forEach(output -> output.write(out));
    return out.bytes(MODEL_SPEC, spec).toBuffer();
  }

  /** Returns the model that answered: never a label, always a number. */
  static ModelSpec modelSpec(ModelId model, String signature) {
    return ModelSpec.newBuilder()
        .setName(model.name())
        .setVersion(Int64Value.of(model.version()))
        .setSignatureName(signature)
        .build();
  }

  /** Returns a writer of a message of so many bytes. */
  static ProtobufWriter open(long size) {
    if (size > Integer.MAX_VALUE - 16) {
      throw new InferenceException(
          ErrorCode.TOO_LARGE, "the response has " + size + " bytes, a message holds 2147483631");
    }
    return new ProtobufWriter((int) size);
  }
}
