package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.batching.Batch;
import dev.sluice.scheduling.batching.BatchRules;
import dev.sluice.scheduling.batching.BatchRunner;
import dev.sluice.scheduling.batching.DynamicBatcher;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.WaitingRequests;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SlowRunLogTest {
  private static final long SECOND = 1_000_000_000;

  private final AtomicLong clock = new AtomicLong(1);
  private final FakeSession session = new FakeSession();

  @Test
  void runThatTakesLongIsLoggedOnceUntilItEnds() {
    var rules = new BatchRules(BatchingConfig.DEFAULT, FakeSession.METADATA);
    var queue = new ModelQueue(QueueConfig.DEFAULT);
    var batcher = new DynamicBatcher(queue, rules, BatchingConfig.DEFAULT, clock::get);
    var runner =
        new BatchRunner(
            rules,
            session,
            Telemetry.unseen().version(new ModelId("test", 1)).worker(),
            new CircuitBreaker(new ModelId("test", 1), BreakerConfig.DEFAULT, clock::get),
            clock::get,
            SlowRunLogTest::free);
    var log = new SlowRunLog(new ModelId("test", 1), () -> List.of(runner.watch()));
    session.alsoRun(() -> {
      log.look();
      assertThat(log.logged()).isZero();
      clock.addAndGet(31 * SECOND);
      log.look();
      assertThat(log.logged()).isEqualTo(1);
      clock.addAndGet(31 * SECOND);
      log.look();
      assertThat(log.logged()).isEqualTo(1);
    });
    try (var requests = new WaitingRequests()) {
      queue.offer(requests.waiting(requests.request(Deadline.NONE, 0, 1f), 0, clock.get()));
      var batch = new Batch();
      batcher.take(batch);
      runner.run(batch);
    }
    assertThat(session.runs()).isEqualTo(1);
    log.look();
    assertThat(log.logged()).isZero();
  }

  private static void free(PendingRequest completed) {
    completed.deliver();
    completed.answer().onSuccess(response -> response.close());
    assertThat(completed.failure()).isNull();
  }
}
