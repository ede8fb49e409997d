package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.Int64Value;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.wire.EncodedOutput;
import dev.sluice.protocol.tfs.grpc.wire.TfsWireWriter;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/** Writes a PredictResponse into one array of the right size. */
final class PredictResponseWriter {
  private static final int MODEL_SPEC = 2 << 3 | 2;

  private PredictResponseWriter() {}

  /**
   * Returns the message.
   *
   * @param response borrowed
   */
  static Buffer write(InferenceResponse response, PredictSettings settings) {
    byte[] spec = modelSpec(response.model(), response.signature().name()).toByteArray();
    List<EncodedOutput> outputs = new ArrayList<>(response.outputs().size());
    long size = 1 + TfsWireWriter.delimitedSize(spec.length);
    for (NamedTensor output : response.outputs()) {
      var encoded = new EncodedOutput(output, settings.tensorContent());
      outputs.add(encoded);
      size += encoded.size();
    }
    byte[] message = allocate(size);
    var out = new TfsWireWriter(message);
    outputs.forEach(output -> output.write(out));
    out.open(MODEL_SPEC, spec.length);
    out.bytes(spec);
    return Buffers.wrap(message, 0, out.position());
  }

  /** Returns the model that answered: never a label, always a number. */
  static ModelSpec modelSpec(ModelId model, String signature) {
    return ModelSpec.newBuilder()
        .setName(model.name())
        .setVersion(Int64Value.of(model.version()))
        .setSignatureName(signature)
        .build();
  }

  /** Returns an array for a message of so many bytes. */
  static byte[] allocate(long size) {
    if (size > Integer.MAX_VALUE - 16) {
      throw new InferenceException(
          ErrorCode.TOO_LARGE, "the response has " + size + " bytes, a message holds 2147483631");
    }
    MemoryAccount.chargeCurrent(Kind.ANSWER, size);
    return new byte[(int) size];
  }
}
