package dev.sluice.stress;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.List;
import java.util.Map;

/** Requests without tensors, cheap enough to make millions of. */
public final class StressedRequests {
  /** Of threads that do not keep a process alive after its test. */
  public static final Context EVENT_LOOP =
      Vertx.vertx(new VertxOptions().setUseDaemonThread(true)).getOrCreateContext();

  private static final Signature SIGNATURE =
      new Signature(Signature.DEFAULT, "", List.of(), List.of());

  private static final ModelMetadata METADATA =
      new ModelMetadata("onnxruntime_onnx", Map.of(SIGNATURE.name(), SIGNATURE), true, 0);

  private static final ModelLease MODEL =
      new ModelLease() {
        @Override
        public ModelId id() {
          return new ModelId("m", 1);
        }

        @Override
        public ModelMetadata metadata() {
          return METADATA;
        }

        @Override
        public void release() {}
      };

  private StressedRequests() {}

  /** Returns a new request without a deadline. */
  public static InferenceRequest request() {
    return new InferenceRequest(MODEL, SIGNATURE, List.of(), List.of(), Deadline.NONE, "r");
  }
}
