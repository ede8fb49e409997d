package dev.sluice.protocol.tfs.requestlog;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.telemetry.meter.LoadMeters;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes samples of requests and their responses to TFRecord files of PredictionLogs, as a model's
 * {@code logging_config} wants it. A thread of its own writes; what it cannot keep up with, beyond
 * 1,024 records or 64 MiB, is dropped and counted.
 *
 * <p>Threads: {@link #begin} and entries are for any thread; {@link #update} for one at a time.
 */
public final class RequestLogs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RequestLogs.class);

  /** The one collector that there is here; TensorFlow Serving's own binary has none. */
  private static final String FILE = "file";

  private static final int MOST_RECORDS = 1_024;
  private static final long MOST_BYTES = 64L << 20;
  private static final long LAST_RECORDS_MILLIS = 2_000;

  /** The request log that a model's config asks for. */
  public record Wanted(String type, String filenamePrefix, double samplingRate) {}

  /** The message of PredictionLog that a call is kept in. */
  public enum Kind {
    CLASSIFY(2),
    REGRESS(3),
    MULTI_INFERENCE(4),
    PREDICT(6);

    private final int field;

    Kind(int field) {
      this.field = field;
    }
  }

  /** A log on its way to the writer. */
  private static final class Waiting {
    private final String model;
    private final String prefix;
    private final byte[] log;

    Waiting(String model, String prefix, byte[] log) {
      this.model = model;
      this.prefix = prefix;
      this.log = log;
    }
  }

  /** Wakes the writer, so that it sees the end. */
  private static final Waiting END = new Waiting("", "", new byte[0]);

  private final List<String> tags;
  private final LoadMeters meters;
  private final InstantSource clock;
  private final Optional<Path> callersFolder;
  private final BlockingQueue<Waiting> waiting = new ArrayBlockingQueue<>(MOST_RECORDS);
  private final AtomicLong waitingBytes = new AtomicLong();
  private final Map<String, TfRecordFile> files = new HashMap<>();

  /** Prefixes whose last record could not be written: one line of the log says so. */
  private final Set<String> failing = new HashSet<>();

  private volatile Map<String, Wanted> wanted = Map.of();
  private volatile boolean closing;

  @GuardedBy("this")
  private @Nullable Thread writer;

  /**
   * @param tags of the meta graphs that are served
   * @param callersFolder where files lie that callers ask for by HandleReloadConfigRequest; empty:
   *     they may ask for none
   */
  public RequestLogs(
      List<String> tags, LoadMeters meters, InstantSource clock, Optional<Path> callersFolder) {
    this.tags = List.copyOf(tags);
    this.meters = meters;
    this.clock = clock;
    this.callersFolder = callersFolder.map(folder -> folder.toAbsolutePath().normalize());
  }

  /**
   * Requires that everything that is wanted can be done.
   *
   * @param byCaller whether a request wants it, and not a file of the operator's
   * @throws InferenceException with NOT_FOUND for another collector, INVALID_ARGUMENT or
   *     PERMISSION_DENIED for a prefix that will not do
   */
  public void require(Map<String, Wanted> models, boolean byCaller) {
    models.forEach((model, one) -> {
      if (!one.type().equals(FILE)) {
        throw new InferenceException(
            ErrorCode.NOT_FOUND,
            "Cannot find LogCollector::Factory for type: %s; wanted %s for model %s"
                .formatted(one.type(), FILE, model));
      }
      if (one.filenamePrefix().isEmpty()) {
        throw InferenceException.invalid(
            "The logging_config of model " + model + " has no filename_prefix; wanted a path");
      }
      if (byCaller && !isForCallers(one.filenamePrefix())) {
        throw new InferenceException(
            ErrorCode.PERMISSION_DENIED,
            "The logging_config of model %s wants files at %s; the setting tfs.request_log_folder allows %s"
                .formatted(
                    model,
                    one.filenamePrefix(),
                    callersFolder.map(Path::toString).orElse("no caller to choose any")));
      }
    });
  }

  private boolean isForCallers(String prefix) {
    try {
      Path path = Path.of(prefix).toAbsolutePath().normalize();
      Path parent = path.getParent();
      return callersFolder.isPresent() && parent != null && parent.equals(callersFolder.get());
    } catch (InvalidPathException e) {
      return false;
    }
  }

  /** Replaces what is wanted. Checked by {@link #require}. */
  public synchronized void update(Map<String, Wanted> models) {
    wanted = Map.copyOf(models);
    if (!models.isEmpty() && writer == null && !closing) {
      writer = Thread.ofPlatform().daemon().name("request-log").start(this::write);
    }
  }

  /** A call that is kept if it is answered. */
  public final class Entry {
    private final Kind kind;
    private final String model;
    private final Wanted how;
    private final byte[] request;

    private Entry(Kind kind, String model, Wanted how, byte[] request) {
      this.kind = kind;
      this.model = model;
      this.how = how;
      this.request = request;
    }

    /** Hands the call to the writer, with its response. Any thread; does not block. */
    public void answered(byte[] response) {
      var call = new ProtobufWriter().bytes(1, request).bytes(2, response);
      byte[] log =
          new ProtobufWriter()
              .message(1, metadata(model, how))
              .message(kind.field, call)
              .toByteArray();
      offer(new Waiting(model, how.filenamePrefix(), log));
    }
  }

  /** The kind of a request. */
  @FunctionalInterface
  public interface Request {
    /** Returns a copy of it as the message of its call. */
    byte[] serialized();
  }

  /** Begins to keep a call; null if this one is not kept. */
  public @Nullable Entry begin(Kind kind, String model, Request request) {
    Map<String, Wanted> all = wanted;
    if (all.isEmpty()) {
      return null;
    }
    Wanted how = all.get(model);
    return how == null || ThreadLocalRandom.current().nextDouble() >= how.samplingRate()
        ? null
        : new Entry(kind, model, how, request.serialized());
  }

  private ProtobufWriter metadata(String model, Wanted how) {
    var metadata =
        new ProtobufWriter()
            .message(1, new ProtobufWriter().text(1, model))
            .message(2, new ProtobufWriter().fixed(1, how.samplingRate()));
    tags.forEach(tag -> metadata.text(3, tag));
    return metadata.number(4, clock.instant().getEpochSecond());
  }

  private void offer(Waiting record) {
    int bytes = record.log.length;
    if (closing || waitingBytes.addAndGet(bytes) > MOST_BYTES || !waiting.offer(record)) {
      waitingBytes.addAndGet(-bytes);
      meters.requestLogged(record.model, ErrorCode.RESOURCE_EXHAUSTED.name());
    }
  }

  private void write() {
    try {
      while (!closing || !waiting.isEmpty()) {
        Waiting record = waiting.poll(1, TimeUnit.SECONDS);
        if (record != null && !record.equals(END)) {
          waitingBytes.addAndGet(-record.log.length);
          write(record);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      files.values().forEach(RequestLogs::close);
    }
  }

  private void write(Waiting record) {
    try {
      files.computeIfAbsent(record.prefix, TfRecordFile::new).append(record.log, clock.instant());
      meters.requestLogged(record.model, "OK");
      failing.remove(record.prefix);
    } catch (IOException | RuntimeException e) {
      if (failing.add(record.prefix)) {
        LOG.atError()
            .addKeyValue("model", record.model)
            .addKeyValue("prefix", record.prefix)
            .log("requests cannot be logged: {}", e.toString());
      }
      meters.requestLogged(record.model, ErrorCode.INTERNAL.name());
    }
  }

  private static void close(TfRecordFile file) {
    try {
      file.close();
    } catch (IOException e) {
      LOG.warn("a request log could not be closed: {}", e.toString());
    }
  }

  /** Writes what still waits, for two seconds at most. Blocks. */
  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      closing = true;
      running = writer;
    }
    // A full queue wakes it as well.
    var _ = waiting.offer(END);
    if (running != null) {
      try {
        running.join(LAST_RECORDS_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
