package dev.sluice.telemetry.trace;

import dev.sluice.inference.RequestTrace.Event;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes traces to a file, or, where settings say how many traces a file has or how many there are
 * in all, to files with a number behind its name, which appear when they are whole. A thread of its
 * own writes; traces that it cannot keep up with are dropped.
 *
 * <p>Threads: any may append; the writer's own touches files.
 */
final class TraceWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TraceWriter.class);

  /** Bytes of traces that may wait to be written, at most; a small heap has less. */
  private static final long LARGEST_WAITING = 64L << 20;

  private static final int HEAP_PART = 16;

  private static final long MOST_WAITING =
      Math.min(LARGEST_WAITING, Runtime.getRuntime().maxMemory() / HEAP_PART);

  /** Bytes that an event holds besides the data of its tensor. */
  private static final long EVENT_SIZE = 128;

  private static final long LAST_TRACES_MILLIS = 2_000;

  private final Path file;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("sluice-traces").factory());
  private final AtomicLong waiting = new AtomicLong();
  private final AtomicBoolean dropping = new AtomicBoolean();

  // The writer's thread's.
  private final Map<Tracer, Part> parts = new HashMap<>();
  private @Nullable TraceArray whole;
  private int nextIndex;
  private int nextPart;
  private boolean failing;

  /** The records of one tracer for a numbered file. */
  private static final class Part {
    private final Path path;
    private final TraceArray array;
    private long traces;

    Part(Path path) throws IOException {
      this.path = path;
      this.array = new TraceArray(path);
    }
  }

  /** Of tracers, how many of their traces have come. */
  private final Map<Tracer, Long> collected = new HashMap<>();

  TraceWriter(Path file) {
    this.file = file;
  }

  /** Writes a trace later. Any thread; does not block. */
  void append(Tracer from, List<Event> events) {
    long size = size(events);
    if (waiting.addAndGet(size) > MOST_WAITING) {
      waiting.addAndGet(-size);
      if (!dropping.getAndSet(true)) {
        LOG.atWarn().addKeyValue("file", file).log("traces are dropped: they come too fast");
      }
      // Not even a note of it waits: a disk that hangs makes nothing grow.
      from.drop();
      return;
    }
    submit(() -> {
      waiting.addAndGet(-size);
      add(from, events);
    });
  }

  private static long size(List<Event> events) {
    long size = 0;
    for (Event event : events) {
      size += EVENT_SIZE;
      if (event instanceof Event.Carried carried && carried.data() != null) {
        size += carried.data().length;
      }
    }
    return size;
  }

  /** Writes what is collected of a tracer whose settings have changed. Any thread. */
  void retire(Tracer tracer) {
    submit(() -> {
      tracer.retire();
      Part part = parts.remove(tracer);
      collected.remove(tracer);
      if (part == null) {
        return;
      }
      if (tracer.frequency() > 0) {
        publish(part);
      } else {
        part.array.close();
        String array = Files.readString(part.path, StandardCharsets.UTF_8);
        if (array.length() > 2) {
          whole().append(array.substring(1, array.length() - 1));
        }
        Files.delete(part.path);
      }
    });
  }

  /** Something to do with files. */
  @FunctionalInterface
  private interface Work {
    /** Writes or deletes files, on the writer's own thread. */
    void run() throws IOException;
  }

  private void submit(Work work) {
    try {
      thread.execute(() -> {
        try {
          work.run();
          failing = false;
        } catch (IOException | RuntimeException e) {
          if (!failing) {
            failing = true;
            LOG.atError()
                .addKeyValue("file", file)
                .addKeyValue("reason", e.toString())
                .log("traces cannot be written");
          }
        }
      });
    } catch (RejectedExecutionException _) {
      // The server has stopped: nothing is traced any more.
    }
  }

  private void add(Tracer from, List<Event> events) throws IOException {
    long count = from.isRetired() ? 0 : collected.merge(from, 1L, Long::sum);
    if (events.isEmpty()) {
      return;
    }
    String elements = TraceJson.elements(events);
    if (from.frequency() == 0 && (from.isRetired() || !from.isLimited())) {
      whole().append(elements);
      return;
    }
    Part part = parts.get(from);
    if (part == null) {
      part = new Part(numbered(nextPart++ + ".part"));
      parts.put(from, part);
    }
    part.array.append(elements);
    part.traces++;
    boolean full = from.frequency() > 0 && part.traces >= from.frequency();
    if (full || from.isRetired() || from.endsAfter(count)) {
      parts.remove(from);
      publish(part);
    }
  }

  private Path numbered(String suffix) {
    return file.resolveSibling(file.getFileName() + "." + suffix);
  }

  private void publish(Part part) throws IOException {
    part.array.close();
    Files.move(
        part.path,
        numbered(Integer.toString(nextIndex++)),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  private TraceArray whole() throws IOException {
    if (whole == null) {
      whole = new TraceArray(file);
    }
    return whole;
  }

  /** Writes what still waits, for two seconds at most. Blocks. */
  @Override
  public void close() {
    submit(() -> {
      if (whole != null) {
        whole.close();
        whole = null;
      }
    });
    thread.shutdown();
    try {
      if (!thread.awaitTermination(LAST_TRACES_MILLIS, TimeUnit.MILLISECONDS)) {
        LOG.atWarn().addKeyValue("file", file).log("the last traces are not written");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
