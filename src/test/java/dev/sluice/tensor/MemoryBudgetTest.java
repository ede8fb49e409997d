package dev.sluice.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.tensor.MemoryBudget.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final int MIB = 1024 * 1024;

  private static MemoryBudget budget(long bytes) {
    return new MemoryBudget(TensorMemory.openBytes() + bytes);
  }

  @Test
  void whatIsChargedIsHeldByItsKindUntilItIsReleased() {
    MemoryBudget budget = budget(10 * MIB);
    MemoryAccount account = budget.account();
    account.charge(Kind.BODY, 100);
    account.charge(Kind.BODY, MIB);
    account.charge(Kind.ANSWER, 7);
    assertThat(budget.held(Kind.BODY)).isEqualTo(MIB + 100);
    assertThat(budget.held(Kind.ANSWER)).isEqualTo(7);
    account.release(Kind.BODY, 40);
    assertThat(budget.held(Kind.BODY)).isEqualTo(MIB + 60);
    account.close();
    assertThat(budget.held()).isZero();
  }

  @Test
  void aChargeBeyondTheLimitIsRefusedWithWhatWasAskedForAndWhatIsFree() {
    MemoryBudget budget = budget(10 * MIB);
    MemoryAccount account = budget.account();
    account.charge(Kind.BODY, 6 * MIB);
    assertThatThrownBy(() -> account.charge(Kind.BODY, 6 * MIB))
        .isInstanceOf(MemoryExhausted.class)
        .hasMessageContaining("asked for " + 6 * MIB + " bytes")
        .hasMessageContaining("limits.memory");
    assertThat(budget.held()).isEqualTo(6 * MIB);
    assertThat(budget.refusals()).isEqualTo(1);
    account.close();
  }

  @Test
  void answersAboutTheServerUseTheReserveButLeaveAPartOfItToTinyOnes() {
    MemoryBudget budget = budget(8 * MIB);
    MemoryAccount predictions = budget.account();
    while (predictions.tryCharge(Kind.BODY, 100_000)) {
      // Until no more fits.
    }
    MemoryAccount metrics = budget.account(budget.share());
    while (metrics.tryChargeReserve(Kind.ANSWER, 145_000)) {
      // Until no more fits.
    }
    assertThat(metrics.held(Kind.ANSWER)).isGreaterThan(145_000);
    assertThat(budget.free(1)).isGreaterThanOrEqualTo(8 * MIB / 32);
    assertThat(budget.account().tryCharge(Kind.BODY, 1_000)).isTrue();
    predictions.close();
    metrics.close();
  }

  @Test
  void answersAboutTheServerAreThereWhileTheTensorsOfARunTakeMoreThanAll() {
    MemoryBudget budget = budget(8 * MIB);
    MemoryAccount metrics = budget.account(budget.share());
    try (Tensor _ = Tensor.allocate(DataType.FP32, Shape.of(4 * MIB))) {
      assertThat(budget.free(1)).isZero();
      assertThat(metrics.tryChargeReserve(Kind.ANSWER, 900_000)).isTrue();
      assertThat(metrics.tryChargeReserve(Kind.ANSWER, 900_000)).isFalse();
      assertThat(budget.account().tryCharge(Kind.BODY, 1_000)).isFalse();
    }
    metrics.close();
  }

  @Test
  void largeSizesLeaveAReserveThatSmallOnesMayUse() {
    MemoryBudget budget = budget(8 * MIB);
    MemoryAccount large = budget.account();
    while (large.tryCharge(Kind.BODY, 100_000)) {
      // Until no more fits.
    }
    MemoryAccount small = budget.account();
    assertThat(small.tryCharge(Kind.BODY, 10_000)).isTrue();
    assertThat(budget.held()).isLessThan(budget.limit() - MIB / 2);
    small.close();
    large.close();
  }

  @Test
  void smallSizesLeaveAPartOfTheReserveThatTinyOnesMayUse() {
    var full = new MemoryBudget(16 * MIB);
    MemoryAccount account = full.account();
    while (account.tryCharge(Kind.BODY, 60_000)) {
      assertThat(full.held()).isLessThanOrEqualTo(16 * MIB);
    }
    while (account.tryCharge(Kind.BODY, 3_000)) {
      assertThat(full.held()).isLessThanOrEqualTo(15 * MIB);
    }
    for (int i = 0; i < 800; i++) {
      assertThat(account.tryCharge(Kind.BODY, 1_000)).isTrue();
    }
    account.close();
  }

  @Test
  void whatAClientMayNotHoldIsSaidToBeItsShareAlsoIfItHoldsLessByThen() {
    MemoryBudget budget = budget(16 * MIB);
    MemoryShare share = budget.share();
    MemoryAccount first = budget.account(share);
    MemoryAccount second = budget.account(share);
    first.charge(Kind.BODY, 4 * MIB);
    second.charge(Kind.BODY, 3 * MIB);
    assertThat(second.tryCharge(Kind.BODY, 2 * MIB)).isFalse();
    first.close();
    assertThat(second.refusal(Kind.BODY, 2 * MIB)).hasMessageContaining("this client's share");
    second.close();
  }

  @Test
  void aForcedChargeIsCountedBeyondTheLimit() {
    MemoryBudget budget = budget(MIB);
    MemoryAccount account = budget.account();
    account.force(Kind.ANSWER, 2 * MIB);
    assertThat(budget.held()).isEqualTo(2 * MIB);
    account.close();
    assertThat(budget.held()).isZero();
  }

  @Test
  void aTensorForWhichThereIsNoMemoryIsRefusedWhereARequestMakesIt() {
    MemoryBudget budget = budget(MIB);
    MemoryAccount account = budget.account();
    long before = TensorMemory.openBytes();
    assertThatThrownBy(
            () -> account.within(() -> Tensor.allocate(DataType.FP32, Shape.of(2 * MIB))))
        .isInstanceOf(MemoryExhausted.class);
    assertThat(TensorMemory.openBytes()).isEqualTo(before);
    Tensor.allocate(DataType.FP32, Shape.of(2 * MIB)).close();
  }

  @Test
  void whatAnAccountIsChargedAfterItsEndIsNotCounted() {
    MemoryBudget budget = budget(MIB);
    MemoryAccount account = budget.account();
    account.close();
    account.force(Kind.BODY, 1000);
    account.charge(Kind.BODY, 1000);
    account.release(Kind.BODY, 1000);
    assertThat(budget.held()).isZero();
  }

  @Test
  void aReleaseOfLessThanNothingLeavesTheCountAsItIs() {
    MemoryBudget budget = budget(MIB);
    MemoryAccount account = budget.account();
    account.close();
    account.release(Kind.ANSWER, -1000);
    account.release(Kind.ANSWER, 1000);
    assertThat(budget.held()).isZero();
  }

  /** Accounts that are charged on one thread, and released and closed on others. */
  @Test
  void theCountIsExactWhicheverThreadsChargeReleaseAndClose() throws Exception {
    MemoryBudget budget = budget(4 * MIB);
    int threads = 4;
    BlockingQueue<MemoryAccount> passed = new ArrayBlockingQueue<>(10_000);
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      var random = new Random(i);
      tasks.add(() -> chargeAndPassOn(budget, passed, random));
    }
    try (var executor = Executors.newFixedThreadPool(threads)) {
      for (Future<Long> done : executor.invokeAll(tasks)) {
        assertThat(done.get()).isLessThanOrEqualTo(budget.limit());
      }
    }
    passed.forEach(MemoryAccount::close);
    assertThat(budget.held()).isZero();
    assertThat(budget.account().tryCharge(Kind.BODY, 3 * MIB)).isTrue();
  }

  private static long chargeAndPassOn(
      MemoryBudget budget, BlockingQueue<MemoryAccount> passed, Random random) {
    long most = 0;
    for (int i = 0; i < 20_000; i++) {
      MemoryAccount account = random.nextBoolean() ? passed.poll() : null;
      if (account == null) {
        account = budget.account();
      }
      Kind kind = KINDS.get(random.nextInt(KINDS.size()));
      account.tryCharge(kind, random.nextInt(random.nextInt(10) == 0 ? MIB : 3000));
      account.release(kind, random.nextInt(2000));
      most = Math.max(most, budget.limit() - budget.free(0));
      if (random.nextInt(3) == 0 || !passed.offer(account)) {
        account.close();
      }
    }
    return most;
  }

  @Test
  void aStreamThatMayNotBeginIsToldHowMuchIsFreeAndWanted() {
    var budget = new MemoryBudget(8_000_000);
    budget.requireForStream(8);
    try (MemoryAccount other = budget.account()) {
      other.force(Kind.BODY, 6_500_000);
      assertThatThrownBy(() -> budget.requireForStream(8))
          .isInstanceOf(MemoryExhausted.class)
          .hasMessageMatching(
              "a stream needs more of the server's memory budget to begin with: \\d+ bytes are free"
                  + " of 8000000, wanted 1000000 \\(setting limits.memory\\)");
    }
    assertThat(budget.refusals()).isEqualTo(1);
  }
}
