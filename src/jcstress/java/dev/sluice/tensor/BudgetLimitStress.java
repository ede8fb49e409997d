package dev.sluice.tensor;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;

/** Two large bodies arrive where only one fits: the limit holds, and one of them is charged. */
@JCStressTest
@Outcome(id = "1, 600000", expect = Expect.ACCEPTABLE, desc = "one of them was charged")
@State
public class BudgetLimitStress {
  private static final long LARGE = 600_000;

  private final MemoryBudget budget = new MemoryBudget(1_000_000);
  private final MemoryAccount one = budget.account();
  private final MemoryAccount other = budget.account();
  private volatile int first;
  private volatile int second;

  @Actor
  public void eventLoop() {
    first = one.tryCharge(MemoryBudget.Kind.BODY, LARGE) ? 1 : 0;
  }

  @Actor
  public void otherEventLoop() {
    second = other.tryCharge(MemoryBudget.Kind.BODY, LARGE) ? 1 : 0;
  }

  @Arbiter
  public void result(IJ_Result result) {
    result.r1 = first + second;
    result.r2 = budget.held();
  }
}
