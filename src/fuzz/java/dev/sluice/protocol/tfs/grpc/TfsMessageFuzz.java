package dev.sluice.protocol.tfs.grpc;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.FakeTfsModels;
import dev.sluice.testing.LocalGrpcCall;
import dev.sluice.testing.NativeBodies;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Objects;

/**
 * Messages of TensorFlow Serving's PredictionService: a digit for the method, the message. Each is
 * answered, or refused as the caller's fault, from the heap and from native memory alike.
 */
final class TfsMessageFuzz implements FuzzTarget {
  private static final String[] METHODS = {
    "Predict", "Classify", "Regress", "MultiInference", "GetModelMetadata"
  };

  private final FakePlanes planes = silent(FakeTfsModels.all());
  private final TfsPredictionServiceHandler handler =
      new TfsPredictionServiceHandler(planes, PredictSettings.DEFAULT);

  /** The same models, which are not run: what they make of the values is not at stake. */
  private static FakePlanes silent(FakePlanes models) {
    var silent = new FakePlanes();
    for (String name : models.models()) {
      if (models.find(new ModelSelector.Latest(name), Caller.SERVER, Operation.INFER)
          instanceof ModelLookup.Found(ModelLease model)) {
        silent.serve(name, 123, model.read(ModelLease::metadata), _ -> List.of());
        silent.label(name, "stable", 123);
      }
    }
    return silent;
  }

  @Override
  public void accept(byte[] input) {
    requireSameFromNativeMemory(new InputBytes(input));
    if (planes.leases() != 0) {
      throw new AssertionError(planes.leases() + " leases are not released");
    }
  }

  private void requireSameFromNativeMemory(InputBytes bytes) {
    GrpcMethod method = Objects.requireNonNull(handler.methods().get(bytes.one(METHODS))).method();
    byte[] message = bytes.rest();
    Future<Buffer> onHeap = answer(method, Body.of(message));
    if (method.tensorPaths().isEmpty()) {
      return; // Its messages never land in native memory.
    }
    try (Body landed = NativeBodies.body(message, message.length / 2)) {
      if (answer(method, landed).succeeded() != onHeap.succeeded()) {
        throw new AssertionError("one of two copies is refused");
      }
    }
  }

  private static Future<Buffer> answer(GrpcMethod method, Body message) {
    Future<Buffer> answer = method.answer(new LocalGrpcCall(), message);
    if (answer.failed()) {
      Rejection.requireCallers(answer.cause());
    }
    return answer;
  }
}
