package dev.sluice.boot.warmup;

import static dev.sluice.boot.warmup.WireBytes.ascii;
import static dev.sluice.boot.warmup.WireBytes.field;
import static dev.sluice.boot.warmup.WireBytes.join;
import static dev.sluice.boot.warmup.WireBytes.number;
import static dev.sluice.boot.warmup.WireBytes.varint;

import dev.sluice.boot.warmup.WarmUpCalls.GrpcCall;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Inferences in Protocol Buffers, in the forms that clients of each protocol choose: numbers as
 * numbers or as raw bytes, all outputs or some by name. Any thread.
 */
final class InferenceMessages {
  private static final float[] NUMBERS = {1, 2.5f, 3, -0.4f};

  /** {@code x}, of as many numbers as there are. */
  private static final byte[] NAME = field(1, ascii("x"));

  private InferenceMessages() {}

  /** Returns calls of tensorflow.serving.PredictionService. */
  static List<GrpcCall> tfs(String model) {
    String path = "/tensorflow.serving.PredictionService/Predict";
    byte[] shape = field(2, field(2, number(1, NUMBERS.length)));
    return List.of(
        new GrpcCall(path, tfs(model, join(number(1, 1), shape, field(5, numbers())))),
        new GrpcCall(
            path,
            join(
                tfs(model, join(number(1, 1), shape, field(4, numbers()))), field(3, ascii("y")))));
  }

  private static byte[] tfs(String model, byte[] tensor) {
    return join(field(1, field(1, ascii(model))), field(2, NAME, field(2, tensor)));
  }

  /** Returns calls of inference.GRPCInferenceService. */
  static List<GrpcCall> oip(String model) {
    String service = "/inference.GRPCInferenceService/";
    byte[] named = field(6, field(1, ascii("y")));
    byte[] raw = join(oip(model, new byte[0]), field(7, numbers()));
    byte[] typed = oip(model, field(5, field(6, numbers())));
    return List.of(
        new GrpcCall(service + "ModelInfer", raw),
        new GrpcCall(service + "ModelInfer", join(raw, field(3, ascii("id")), named)),
        new GrpcCall(service + "ModelInfer", typed),
        new GrpcCall(service + "ModelStreamInfer", join(raw, named)));
  }

  private static byte[] oip(String model, byte[] contents) {
    byte[] shape = field(3, varint(NUMBERS.length));
    byte[] input = field(5, NAME, field(2, ascii("FP32")), shape, contents);
    return join(field(1, ascii(model)), input);
  }

  /** Returns calls of grps.protos.v1.GrpsService. */
  static List<GrpcCall> grps(String model) {
    return List.of(new GrpcCall("/grps.protos.v1.GrpsService/Predict", grpsMessage(model)));
  }

  /** Returns a request of grps over brpc, its head included. */
  static byte[] brpc(String model) {
    byte[] meta =
        join(
            field(1, field(1, ascii("grps.protos.v1.GrpsBrpcService")), field(2, ascii("Predict"))),
            number(4, 1));
    byte[] message = grpsMessage(model);
    byte[] head =
        ByteBuffer.allocate(12)
            .put(ascii("PRPC"))
            .putInt(meta.length + message.length)
            .putInt(meta.length)
            .array();
    return join(head, meta, message);
  }

  private static byte[] grpsMessage(String model) {
    byte[] shape = field(3, varint(NUMBERS.length));
    byte[] tensor = field(1, NAME, number(2, 7), shape, field(10, numbers()));
    return join(field(2, ascii(model)), field(5, tensor));
  }

  /** Returns raw little-endian numbers. */
  static byte[] numbers() {
    ByteBuffer bytes =
        ByteBuffer.allocate(NUMBERS.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (float number : NUMBERS) {
      bytes.putFloat(number);
    }
    return bytes.array();
  }
}
