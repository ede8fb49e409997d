package dev.sluice.tensor;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A worker and an event loop release the same bytes: they are given back once. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing is held, nothing given twice")
@State
public class AccountReleaseStress {
  private static final long BYTES = 100_000;

  private final MemoryBudget budget = new MemoryBudget(1_000_000);
  private final MemoryAccount account = budget.account();

  public AccountReleaseStress() {
    account.charge(MemoryBudget.Kind.ANSWER, BYTES);
  }

  @Actor
  public void worker() {
    account.release(MemoryBudget.Kind.ANSWER, BYTES);
  }

  @Actor
  public void eventLoop() {
    account.releaseAll(MemoryBudget.Kind.ANSWER);
  }

  @Arbiter
  public void result(JJ_Result result) {
    result.r1 = budget.held();
    result.r2 = budget.limit() - budget.limit() / 8 - budget.free(Long.MAX_VALUE);
  }
}
