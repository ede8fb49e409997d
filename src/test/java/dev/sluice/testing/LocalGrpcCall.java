package dev.sluice.testing;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.access.Caller;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.transport.grpc.method.GrpcCall;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call that nothing carries: work is done at once, on the thread of the test. */
public final class LocalGrpcCall implements GrpcCall {
  private final MemoryAccount memory = new MemoryBudget(1 << 20).account();
  private final CallRecord record =
      new CallRecord(Telemetry.unseen(), EntryPoint.GRPC, System::nanoTime, false);
  private @Nullable Runnable cancelAction;

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
  public String requestId() {
    return "test";
  }

  @Override
  public Caller caller() {
    return Caller.server("test");
  }

  @Override
  public Deadline deadline() {
    return Deadline.NONE;
  }

  @Override
  public MemoryAccount memory() {
    return memory;
  }

  @Override
  public <T> Future<T> compute(long bytes, Supplier<T> work) {
    try {
      return Future.succeededFuture(work.get());
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  @Override
  public CallRecord record() {
    return record;
  }

  @Override
  public void onCancel(Runnable action) {
    cancelAction = action;
  }
}
