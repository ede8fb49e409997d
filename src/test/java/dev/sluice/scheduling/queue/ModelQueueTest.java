package dev.sluice.scheduling.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.QueuePolicy;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.queue.QueueIntake.Offer;
import dev.sluice.testing.WaitingRequests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ModelQueueTest {
  private final WaitingRequests requests = new WaitingRequests();
  private final List<PendingRequest> made = new ArrayList<>();

  @AfterEach
  void nothingIsLeftOpen() {
    for (PendingRequest pending : made) {
      pending.request().close();
    }
    requests.close();
  }

  private static ModelQueue queue(int capacity, int levels, int defaultLevel) {
    return new ModelQueue(new QueueConfig(capacity, Duration.ZERO, levels, defaultLevel));
  }

  private PendingRequest waiting(long priority) {
    var request = requests.request(Deadline.NONE, priority, 1f);
    PendingRequest pending = requests.waiting(request, 1, 0);
    made.add(pending);
    return pending;
  }

  private static List<PendingRequest> inLine(ModelQueue queue) {
    List<PendingRequest> line = new ArrayList<>();
    synchronized (queue) {
      queue.drainArrivals();
      for (PendingRequest next = queue.first(); next != null; next = queue.after(next)) {
        line.add(next);
      }
    }
    return line;
  }

  @Test
  void requestsStandInTheOrderOfTheirArrival() {
    ModelQueue queue = queue(3, 1, 1);
    List<PendingRequest> all = List.of(waiting(0), waiting(0), waiting(0));
    all.forEach(queue::offer);
    assertThat(inLine(queue)).isEqualTo(all);
  }

  @Test
  void removingFromTheMiddleKeepsTheOrder() {
    ModelQueue queue = queue(3, 1, 1);
    List<PendingRequest> all = List.of(waiting(0), waiting(0), waiting(0));
    all.forEach(queue::offer);
    assertThat(inLine(queue)).hasSize(3);
    synchronized (queue) {
      queue.remove(all.get(1));
    }
    assertThat(inLine(queue)).containsExactly(all.get(0), all.get(2));
    assertThat(queue.size()).isEqualTo(2);
    PendingRequest late = waiting(0);
    assertThat(queue.offer(late)).isEqualTo(Offer.TAKEN);
    assertThat(inLine(queue)).containsExactly(all.get(0), all.get(2), late);
  }

  @Test
  void higherLevelsStandFirstAndLevelsThatDoNotExistAreTheDefault() {
    ModelQueue queue = queue(8, 3, 2);
    PendingRequest low = waiting(3);
    PendingRequest missing = waiting(0);
    PendingRequest tooLow = waiting(4);
    PendingRequest high = waiting(1);
    PendingRequest middle = waiting(2);
    PendingRequest absurd = waiting(Long.MAX_VALUE);
    for (PendingRequest pending : List.of(low, missing, tooLow, high, middle, absurd)) {
      assertThat(queue.offer(pending)).isEqualTo(Offer.TAKEN);
    }
    assertThat(inLine(queue)).containsExactly(high, missing, tooLow, middle, absurd, low);
  }

  @Test
  void queueHoldsTheVeryNumberInTheSettings() {
    ModelQueue queue = queue(2, 1, 1);
    assertThat(queue.offer(waiting(0))).isEqualTo(Offer.TAKEN);
    assertThat(queue.offer(waiting(0))).isEqualTo(Offer.TAKEN);
    assertThat(queue.offer(waiting(0))).isEqualTo(Offer.FULL);
    synchronized (queue) {
      queue.drainArrivals();
      queue.remove(made.getFirst());
    }
    assertThat(queue.offer(waiting(0))).isEqualTo(Offer.TAKEN);
  }

  @Test
  void levelHoldsTheNumberInItsOwnPolicy() {
    var small = new QueuePolicy(false, Duration.ZERO, false, 1);
    var open = new QueuePolicy(false, Duration.ZERO, false, 0);
    var queue =
        new ModelQueue(
            new QueueConfig(8, Duration.ZERO, 2, 1, List.of(small, open), Optional.empty()));
    assertThat(queue.full("m").code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(queue.offer(waiting(1))).isEqualTo(Offer.TAKEN);
    assertThat(queue.offer(waiting(1))).isEqualTo(Offer.FULL);
    assertThat(queue.offer(waiting(2))).isEqualTo(Offer.TAKEN);
    assertThat(queue.offer(waiting(2))).isEqualTo(Offer.TAKEN);
    assertThat(queue.size()).isEqualTo(3);
    synchronized (queue) {
      queue.drainArrivals();
      queue.remove(made.getFirst());
    }
    assertThat(queue.offer(waiting(1))).isEqualTo(Offer.TAKEN);
  }

  @Test
  void closingHandsOutEverythingStillWaitingAndRefusesTheRest() {
    ModelQueue queue = queue(3, 2, 1);
    PendingRequest low = waiting(2);
    PendingRequest high = waiting(1);
    assertThat(queue.offer(low)).isEqualTo(Offer.TAKEN);
    assertThat(queue.offer(high)).isEqualTo(Offer.TAKEN);
    assertThat(queue.close()).containsExactly(high, low);
    assertThat(queue.offer(waiting(0))).isEqualTo(Offer.CLOSED);
    assertThat(queue.size()).isZero();
  }

  /** A stream that keeps so many bytes, and remembers that it is preempted. */
  private static final class Stream implements CacheHolder {
    final long bytes;
    final long sinceNanos;
    boolean preempted;

    Stream(long bytes, long sinceNanos) {
      this.bytes = bytes;
      this.sinceNanos = sinceNanos;
    }

    @Override
    public long cacheBytes() {
      return bytes;
    }

    @Override
    public long sinceNanos() {
      return sinceNanos;
    }

    @Override
    public void preempt() {
      preempted = true;
    }

    @Override
    public void deliver(
        @Nullable InferenceResponse response, @Nullable InferenceException failure) {
      throw new AssertionError("nothing is answered here");
    }
  }

  private static final Stream ENDED = new Stream(0, 0);

  private PendingRequest stream(long bytes, long priority) {
    return first(new Stream(bytes, 0), priority);
  }

  private PendingRequest first(Stream stream, long priority) {
    var request = requests.request(Deadline.NONE, priority, 1f);
    var pending =
        new PendingRequest(request, requests.callerContext(), 1, stream.sinceNanos, stream);
    made.add(pending);
    return pending;
  }

  /** The step with which a stream that was preempted goes on. */
  private PendingRequest again(Stream stream, long priority) {
    var request = requests.request(Deadline.NONE, priority, 1f);
    var pending = PendingRequest.underWay(request, requests.callerContext(), 1, 99, stream, false);
    made.add(pending);
    return pending;
  }

  /** A stream that has begun, and may be preempted. */
  private Stream running(ModelQueue queue, long bytes, long sinceNanos, long priority) {
    var stream = new Stream(bytes, sinceNanos);
    PendingRequest first = first(stream, priority);
    queue.offer(first);
    synchronized (queue) {
      queue.drainArrivals();
      queue.remove(first);
    }
    queue.letPreempt(stream, first.request());
    return stream;
  }

  private static ModelQueue withMemory(long bytes, AtomicInteger begun) {
    return new ModelQueue(
        new QueueConfig(8, Duration.ZERO, 2, 2), new CacheBudget(bytes, begun::incrementAndGet));
  }

  @Test
  void streamsWithoutMemoryWaitBesideTheLineAndTheHigherLevelBeginsFirst() {
    var begun = new AtomicInteger();
    ModelQueue queue = withMemory(100, begun);
    PendingRequest running = stream(80, 2);
    PendingRequest low = stream(30, 2);
    PendingRequest small = stream(5, 2);
    PendingRequest high = stream(90, 1);
    PendingRequest plain = waiting(2);
    queue.offer(running);
    assertThat(inLine(queue)).containsExactly(running);
    List.of(low, small, high, plain).forEach(queue::offer);
    assertThat(inLine(queue)).containsExactly(running, plain);
    assertThat(queue.size()).isEqualTo(5);
    assertThat(queue.ready()).isEqualTo(2);
    assertThat(queue.caches().waiting()).isEqualTo(3);
    queue.streamEnded(ENDED, 80);
    assertThat(inLine(queue)).containsExactly(high, running, plain);
    queue.streamEnded(ENDED, 90);
    assertThat(inLine(queue)).containsExactly(high, running, plain, low, small);
    assertThat(begun).hasValue(2);
    assertThat(queue.caches().reserved()).isEqualTo(35);
    assertThat(queue.caches().waiting()).isZero();
  }

  @Test
  void streamThatWaitsForMemoryIsWithdrawnAndThoseBehindItBegin() {
    var begun = new AtomicInteger();
    ModelQueue queue = withMemory(100, begun);
    PendingRequest running = stream(80, 1);
    PendingRequest large = stream(90, 1);
    PendingRequest small = stream(20, 1);
    List.of(running, large, small).forEach(queue::offer);
    assertThat(inLine(queue)).containsExactly(running);
    assertThat(queue.withdraw(large)).isTrue();
    assertThat(queue.withdraw(large)).isFalse();
    assertThat(large.hasReservedCache()).isFalse();
    queue.streamEnded(ENDED, 0);
    assertThat(begun).hasValue(1);
    assertThat(inLine(queue)).containsExactly(running, small);
  }

  @Test
  void closingHandsOutStreamsThatWaitForMemoryToo() {
    ModelQueue queue = withMemory(100, new AtomicInteger());
    PendingRequest running = stream(80, 2);
    PendingRequest large = stream(90, 1);
    List.of(running, large).forEach(queue::offer);
    inLine(queue);
    assertThat(queue.close()).containsExactlyInAnyOrder(running, large);
    assertThat(queue.caches().waiting()).isZero();
  }

  @Test
  void theLowestLevelIsPreemptedFirstAndInItTheStreamThatCameLast() {
    ModelQueue queue =
        new ModelQueue(new QueueConfig(8, Duration.ZERO, 3, 3), new CacheBudget(100, () -> {}));
    Stream middle = running(queue, 30, 4, 2);
    Stream later = running(queue, 30, 3, 3);
    Stream earlier = running(queue, 30, 2, 3);
    PendingRequest high = stream(60, 1);
    queue.offer(high);
    assertThat(inLine(queue)).isEmpty();
    assertThat(later.preempted).isTrue();
    assertThat(earlier.preempted).isTrue();
    assertThat(middle.preempted).isFalse();
    queue.streamPreempted(later);
    queue.offerNext(again(later, 3));
    assertThat(inLine(queue)).as("there is not enough").isEmpty();
    queue.streamPreempted(earlier);
    assertThat(inLine(queue)).containsExactly(high);
    assertThat(queue.caches().preemptions()).isEqualTo(2);
    assertThat(queue.caches().reserved()).isEqualTo(90);
  }

  @Test
  void noStreamIsPreemptedForItsOwnLevelOrForTooLittle() {
    ModelQueue queue = withMemory(100, new AtomicInteger());
    Stream same = running(queue, 50, 1, 1);
    Stream low = running(queue, 50, 2, 2);
    PendingRequest high = stream(60, 1);
    queue.offer(high);
    assertThat(inLine(queue)).isEmpty();
    assertThat(same.preempted).isFalse();
    assertThat(low.preempted).as("it has too little").isFalse();
  }

  @Test
  void noMoreIsPreemptedThanWhatIsMissing() {
    ModelQueue queue = withMemory(100, new AtomicInteger());
    Stream first = running(queue, 50, 1, 2);
    Stream second = running(queue, 50, 2, 2);
    PendingRequest high = stream(40, 1);
    queue.offer(high);
    inLine(queue);
    inLine(queue);
    assertThat(second.preempted).isTrue();
    assertThat(first.preempted).as("what is missing is on its way").isFalse();
    queue.streamEnded(second, 50);
    assertThat(inLine(queue)).containsExactly(high);
    PendingRequest another = stream(50, 1);
    queue.offer(another);
    inLine(queue);
    assertThat(first.preempted).as("what the one that ended had is not awaited").isTrue();
  }

  @Test
  void aStreamThatMayBePreemptedLaterIsPreemptedThen() {
    ModelQueue queue = withMemory(100, new AtomicInteger());
    var low = new Stream(80, 1);
    PendingRequest first = first(low, 2);
    queue.offer(first);
    assertThat(inLine(queue)).containsExactly(first);
    queue.offer(stream(60, 1));
    inLine(queue);
    assertThat(low.preempted).as("its prompt has not run").isFalse();
    queue.letPreempt(low, first.request());
    assertThat(low.preempted).isTrue();
  }

  @Test
  void streamsThatWerePreemptedGoOnInTheirOrderBeforeThoseThatHaveNotBegun() {
    ModelQueue queue = withMemory(100, new AtomicInteger());
    var earlier = new Stream(40, 1);
    var later = new Stream(40, 2);
    PendingRequest running = stream(100, 1);
    PendingRequest fresh = first(new Stream(40, 3), 2);
    PendingRequest second = again(later, 2);
    PendingRequest first = again(earlier, 2);
    queue.offer(running);
    inLine(queue);
    queue.offer(fresh);
    queue.offerNext(second);
    queue.offerNext(first);
    assertThat(inLine(queue)).containsExactly(running);
    assertThat(queue.caches().waiting()).isEqualTo(3);
    queue.streamEnded(ENDED, 100);
    assertThat(inLine(queue)).containsExactly(running, first, second);
    queue.streamEnded(ENDED, 40);
    assertThat(inLine(queue)).containsExactly(running, first, second, fresh);
  }

  @Test
  void everyRequestIsAnsweredExactlyOnceWhateverOfferedTookAndClosed() throws Exception {
    int offering = 4;
    int each = 2_000;
    ModelQueue queue = queue(64, 2, 1);
    List<List<PendingRequest>> batches = new ArrayList<>();
    for (int i = 0; i < offering; i++) {
      List<PendingRequest> batch = new ArrayList<>();
      for (int j = 0; j < each; j++) {
        batch.add(waiting(j % 3));
      }
      batches.add(batch);
    }
    var answered = new AtomicInteger();
    var start = new CountDownLatch(1);
    var half = new CountDownLatch(offering * each / 2);
    try (var threads = Executors.newCachedThreadPool()) {
      for (List<PendingRequest> batch : batches) {
        threads.execute(() -> {
          await(start);
          for (PendingRequest pending : batch) {
            if (queue.offer(pending) != Offer.TAKEN) {
              answer(pending, answered);
            }
            half.countDown();
          }
        });
      }
      for (int i = 0; i < 2; i++) {
        threads.execute(() -> {
          await(start);
          while (answered.get() < offering * each) {
            takeOne(queue, answered);
          }
        });
      }
      start.countDown();
      half.await();
      queue.close().forEach(pending -> answer(pending, answered));
    }
    assertThat(answered).hasValue(offering * each);
    assertThat(made).allMatch(pending -> pending.answer().isComplete());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void takeOne(ModelQueue queue, AtomicInteger answered) {
    PendingRequest first;
    synchronized (queue) {
      queue.drainArrivals();
      first = queue.first();
      if (first != null) {
        queue.remove(first);
      }
    }
    if (first != null) {
      answer(first, answered);
    }
  }

  /** A second answer to the same request would throw. */
  private static void answer(PendingRequest pending, AtomicInteger answered) {
    pending.complete(new InferenceException(ErrorCode.UNAVAILABLE, "closed"));
    pending.deliver();
    answered.incrementAndGet();
  }
}
