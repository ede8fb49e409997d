package dev.sluice.repository;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/**
 * A request acquires a lease while the repository gives up its own: the model is closed once, after
 * the last lease, and never while a request holds one.
 */
@JCStressTest
@Outcome(
    id = "true, true, 1",
    expect = Expect.ACCEPTABLE,
    desc = "acquired before the last release")
@Outcome(id = "false, true, 1", expect = Expect.ACCEPTABLE, desc = "the version was gone already")
@State
public class LeaseStress {
  private final AtomicInteger closed = new AtomicInteger();
  private final LiveVersion live =
      new LiveVersion(new ModelId("m", 1), 1, new ClosedModel(), _ -> closed.incrementAndGet());

  /** A model that nothing is asked of. */
  private static final class ClosedModel implements LoadedModel {
    private static final ModelMetadata METADATA =
        new ModelMetadata("onnxruntime_onnx", Map.of(), true, 0);

    @Override
    public ModelMetadata metadata() {
      return METADATA;
    }

    @Override
    public void close() {}
  }

  @Actor
  public void request(ZZI_Result result) {
    result.r2 = true;
    if (live.acquire()) {
      result.r1 = true;
      result.r2 = closed.get() == 0;
      live.release();
    }
  }

  @Actor
  public void repository() {
    live.release();
  }

  @Arbiter
  public void result(ZZI_Result result) {
    result.r3 = closed.get();
  }
}
