package dev.sluice.boot.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LogQueueTest {
  private final Logger log = new LoggerContext().getLogger("test");
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();
  private final CountDownLatch writing = new CountDownLatch(1);
  private final CountDownLatch disk = new CountDownLatch(1);
  private final List<Integer> written = new ArrayList<>();

  /** Waits for a slow disk with the first record. */
  private class SlowDisk implements LogQueue.Sink<Integer> {
    @Override
    public void write(Integer entry) {
      writing.countDown();
      try {
        disk.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      written.add(entry);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      written.add(-1);
    }
  }

  @BeforeEach
  void listen() {
    said.start();
    log.addAppender(said);
  }

  private List<String> messages() {
    return said.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void everyRecordIsWrittenInOrderBeforeTheLogCloses() {
    disk.countDown();
    var queue = new LogQueue<>(new LogQueue.Bounds(1_000, 1_000), "log", log, new SlowDisk());
    IntStream.range(0, 100).forEach(i -> queue.offer(i, 1));
    queue.close();
    assertThat(written).hasSize(101).startsWith(0, 1, 2).endsWith(99, -1);
    assertThat(queue.dropped()).isZero();
    assertThat(messages()).isEmpty();
  }

  @Test
  void aRecordThatCannotBeWrittenIsCountedAndTheOthersAreWritten() {
    disk.countDown();
    var queue =
        new LogQueue<>(
            new LogQueue.Bounds(10, 1_000),
            "log",
            log,
            new SlowDisk() {
              @Override
              public void write(Integer entry) {
                if (entry == 0) {
                  throw new IllegalArgumentException("no such form");
                }
                super.write(entry);
              }
            });
    queue.offer(0, 1);
    queue.offer(1, 1);
    queue.close();
    assertThat(written).containsExactly(1, -1);
    assertThat(queue.dropped()).isEqualTo(1);
    assertThat(messages())
        .containsExactly("log lost 1 records: java.lang.IllegalArgumentException: no such form");
  }

  @Test
  void whatDoesNotFitIsDroppedCountedAndReportedOnce() throws InterruptedException {
    var queue = new LogQueue<>(new LogQueue.Bounds(10, 1_000), "log", log, new SlowDisk());
    queue.offer(0, 1);
    writing.await();
    IntStream.range(1, 100).forEach(i -> queue.offer(i, 1));
    assertThat(queue.dropped()).isEqualTo(90);
    disk.countDown();
    queue.close();
    assertThat(written).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1);
    assertThat(messages())
        .containsExactly("log lost 90 records: its writer does not keep up with the calls");
  }

  @Test
  void bytesAreBoundedToo() throws InterruptedException {
    var queue = new LogQueue<>(new LogQueue.Bounds(10, 100), "log", log, new SlowDisk());
    queue.offer(0, 60);
    writing.await();
    queue.offer(1, 60);
    queue.offer(2, 40);
    disk.countDown();
    queue.close();
    assertThat(queue.dropped()).isEqualTo(1);
    assertThat(written).containsExactly(0, 2, -1);
  }

  @Test
  void aFullDiskIsReportedWhenItBeginsAndWhenItEnds() {
    var writes = new CountedWrites("log", log);
    for (int i = 0; i < 3; i++) {
      writes.attempt(
          2,
          () -> {
            throw new IOException("No space left on device");
          });
    }
    writes.attempt(1, () -> {});
    writes.attempt(1, () -> {});
    assertThat(writes.written()).isEqualTo(2);
    assertThat(writes.failed()).isEqualTo(6);
    assertThat(messages())
        .containsExactly(
            "log cannot be written, and records are lost until it can:"
                + " java.io.IOException: No space left on device",
            "log is written again; 6 records were lost");
  }
}
