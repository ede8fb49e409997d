package dev.sluice.boot.inferencelog;

import static dev.sluice.telemetry.exposition.MetricsPage.Kind.COUNTER;

import dev.sluice.boot.log.CountedWrites;
import dev.sluice.boot.log.LineSink;
import dev.sluice.boot.log.LineTargets;
import dev.sluice.boot.log.LogQueue;
import dev.sluice.config.server.InferenceLogConfig;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Samples calls, and writes or sends their records on a thread of its own. What that thread does
 * not keep up with, and what calls under way hold beyond 64 MiB, is dropped and counted.
 */
public final class InferenceLogWriter implements MetricSource, AutoCloseable {
  private static final String NAME = "inference log";
  private static final Logger LOG = LoggerFactory.getLogger(InferenceLogWriter.class);
  private static final int MOST_WAITING = 8_192;
  private static final long MOST_BYTES = 64L << 20;

  private final InferenceLogConfig config;
  private final CountedWrites writes = new CountedWrites(NAME, LOG);
  private final LogQueue<RecordedCall> queue;

  /** Bytes of calls under way, as far as they are known when they begin. */
  private final AtomicLong underWay = new AtomicLong();

  private final AtomicLong notBegun = new AtomicLong();

  private InferenceLogWriter(InferenceLogConfig config, Vertx vertx) {
    this.config = config;
    this.queue =
        new LogQueue<>(new LogQueue.Bounds(MOST_WAITING, MOST_BYTES), NAME, LOG, sink(vertx));
  }

  private LogQueue.Sink<RecordedCall> sink(Vertx vertx) {
    Optional<URI> url = config.url();
    if (url.isPresent()) {
      return new CloudEventSink(vertx, url.get(), writes);
    }
    return new LineSink<>(
        new RecordLines(),
        LineTargets.file(
            "inference_log.file",
            config.file().orElseThrow(),
            config.maxFileSize(),
            config.maxFiles()),
        writes);
  }

  /**
   * Opens the inference log of the settings; empty if there is none.
   *
   * @param vertx sends CloudEvents
   * @throws dev.sluice.config.binding.ConfigException if its file cannot be written to
   */
  public static Optional<InferenceLogWriter> open(InferenceLogConfig config, Vertx vertx) {
    return config.isOn() ? Optional.of(new InferenceLogWriter(config, vertx)) : Optional.empty();
  }

  /** Copies the inputs of a request, which stays the caller's; null if it is not recorded. */
  @Nullable RecordedCall begin(InferenceRequest request, boolean streamed) {
    if (config.sampleRatio() < 1
        && ThreadLocalRandom.current().nextDouble() >= config.sampleRatio()) {
      return null;
    }
    if (underWay.get() >= MOST_BYTES) {
      notBegun.incrementAndGet();
      return null;
    }
    var call = new RecordedCall(request, new TensorCopies(config), streamed);
    underWay.addAndGet(call.reserved());
    return call;
  }

  /** Hands a call over to the writer; once more does nothing. */
  void end(RecordedCall call, @Nullable Throwable failure) {
    if (call.end(failure)) {
      underWay.addAndGet(-call.reserved());
      queue.offer(call, call.bytes());
    }
  }

  @Override
  public void write(MetricsPage page) {
    page.single(
        "sluice_inference_log_records_total",
        COUNTER,
        "Records of the inference log.",
        writes.written());
    page.family(
            "sluice_inference_log_dropped_total",
            COUNTER,
            "Records of the inference log that are lost: too much waited, or could not be written.")
        .add(queue.dropped() + notBegun.get(), "reason", "queue_full")
        .add(writes.failed(), "reason", "write_failed");
  }

  /** Writes what still waits, for two seconds at most. Blocks. */
  @Override
  public void close() {
    queue.close();
  }
}
