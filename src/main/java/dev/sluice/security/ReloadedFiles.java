package dev.sluice.security;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Files that are read again when they change, on a worker. Made and closed by one thread. */
final class ReloadedFiles {
  /** From the end of a look to the next. */
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final List<ReloadedFile<?>> files = new ArrayList<>();
  private volatile boolean closed;

  ReloadedFiles(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Reads a file now, and again whenever it changes. Not after {@link #start}.
   *
   * @throws dev.sluice.config.binding.ConfigException if it cannot be read now
   */
  <T> Supplier<T> keep(Path file, Function<String, T> parser) {
    var kept = new ReloadedFile<>(file, parser);
    files.add(kept);
    return kept;
  }

  /** Begins to look; never, if there is no file. */
  void start() {
    if (!files.isEmpty()) {
      vertx.setTimer(INTERVAL.toMillis(), _ -> look());
    }
  }

  private void look() {
    if (!closed) {
      vertx
          .executeBlocking(
              () -> {
                files.forEach(ReloadedFile::look);
                return files;
              },
              false)
          .onComplete(_ -> start());
    }
  }

  /** Stops: no look begins after this. */
  void close() {
    closed = true;
  }
}
