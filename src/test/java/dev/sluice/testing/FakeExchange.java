package dev.sluice.testing;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.access.Caller;
import dev.sluice.telemetry.CallRecord;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.transport.Exchange;
import io.vertx.core.Future;
import java.util.function.Supplier;

/** A request that came from nowhere: computes at once, never goes away. */
public class FakeExchange implements Exchange {
  private final MemoryAccount memory = new MemoryBudget(1 << 20).account();
  private final CallRecord record;

  public FakeExchange() {
    this(EntryPoint.REST);
  }

  FakeExchange(EntryPoint entryPoint) {
    record = new CallRecord(Telemetry.unseen(), entryPoint, System::nanoTime, false);
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
    return Future.future(computed -> computed.complete(work.get()));
  }

  @Override
  public CallRecord record() {
    return record;
  }

  @Override
  public void onCancel(Runnable action) {
    // It never goes.
  }
}
