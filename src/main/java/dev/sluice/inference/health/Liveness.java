package dev.sluice.inference.health;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Liveness of the process: whether it can go on serving, or should be restarted. Any thread.
 *
 * <p>An {@link Error} leaves a process in an undefined state: it fails liveness for good. What
 * comes and goes, such as an event loop that does not turn, is a source of its own.
 */
public final class Liveness {
  private final AtomicReference<@Nullable String> broken = new AtomicReference<>();
  private final List<Supplier<Optional<String>>> sources = new CopyOnWriteArrayList<>();

  /**
   * Adds something that can keep the process from serving.
   *
   * @param problem returns the reason at the time of the call, empty if there is none; any thread
   */
  public void watch(Supplier<Optional<String>> problem) {
    sources.add(problem);
  }

  /** Fails for good. The first reason stays. */
  public void fail(String reason) {
    broken.compareAndSet(null, reason);
  }

  /**
   * Takes note of a failure that nothing expected: fails for good if it is an {@link Error}, and
   * ends the process if memory has run out.
   */
  public void note(Throwable failure) {
    OutOfMemory.endProcessIf(failure);
    if (failure instanceof Error error) {
      fail("an error left the server in an unknown state: " + error);
    }
  }

  /** Returns the reason why the process cannot go on serving; empty while it can. */
  public Optional<String> problem() {
    String lasting = broken.get();
    if (lasting != null) {
      return Optional.of(lasting);
    }
    return sources.stream().flatMap(source -> source.get().stream()).findFirst();
  }
}
