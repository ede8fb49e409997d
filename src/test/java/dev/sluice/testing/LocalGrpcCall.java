package dev.sluice.testing;

import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.transport.grpc.method.GrpcCall;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A call that nothing carries: work is done at once, on the thread of the test. */
public final class LocalGrpcCall extends FakeExchange implements GrpcCall {
  private @Nullable Runnable cancelAction;

  public LocalGrpcCall() {
    super(EntryPoint.GRPC);
  }

  /** What the face wants done when the caller goes away; null if it has not said. */
  public @Nullable Runnable cancelAction() {
    return cancelAction;
  }

  @Override
  public @Nullable String metadata(String name) {
    return null;
  }

  @Override
  public Iterable<Map.Entry<String, String>> metadata() {
    return List.of();
  }

  @Override
  public void onCancel(Runnable action) {
    cancelAction = action;
  }
}
