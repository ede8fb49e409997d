package dev.sluice.loadtest.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Starts processes, and sees to it that none outlives the load test: not one that hangs, not after
 * a failure, not after Ctrl-C. Any thread.
 */
public final class Children implements AutoCloseable {
  private final Set<Process> running = ConcurrentHashMap.newKeySet();
  private final Path folder;

  /**
   * @param folder where each process's output goes
   */
  public Children(Path folder) {
    this.folder = folder;
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::close));
  }

  /**
   * Runs a program to its end.
   *
   * @param limit after which it is killed
   * @return what it wrote to its output, errors included
   * @throws IllegalStateException if it failed or took longer
   */
  public String output(List<String> command, Duration limit) {
    Path output = folder.resolve(Path.of(command.getFirst()).getFileName() + ".out");
    Process process = start(command, Map.of(), output);
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException(command + " did not end within " + limit);
      }
      String text = Files.readString(output, UTF_8);
      if (process.exitValue() != 0) {
        throw new IllegalStateException(command + " failed: " + text);
      }
      return text;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + command + " ran", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      kill(process);
    }
  }

  /** Starts a program that runs until it is {@linkplain #kill killed}. */
  Process start(List<String> command, Map<String, String> environment, Path output) {
    try {
      var builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().putAll(environment);
      builder.redirectOutput(output.toFile());
      Process process = builder.start();
      running.add(process);
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path folder() {
    return folder;
  }

  void kill(Process process) {
    process.destroyForcibly();
    process.onExit().join();
    running.remove(process);
  }

  @Override
  public void close() {
    running.forEach(this::kill);
  }
}
