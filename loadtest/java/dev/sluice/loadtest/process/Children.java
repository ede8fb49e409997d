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
  private volatile Pinning pinning;

  /**
   * @param folder where each process's output goes
   * @param pinning which cores processes run on until {@link #pin} changes it
   */
  public Children(Path folder, Pinning pinning) {
    this.folder = folder;
    this.pinning = pinning;
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::close));
  }

  /** Moves this process to the generator's cores, and starts others on the cores of their kind. */
  public void pin(Pinning next) {
    boolean moves = pinning.pinned() || next.pinned();
    pinning = next;
    if (moves) {
      output(next.moving(ProcessHandle.current().pid()), Duration.ofSeconds(10));
    }
  }

  /**
   * Runs a program to its end, on the generator's cores.
   *
   * @param limit after which it is killed
   * @return what it wrote to its output, errors included
   * @throws IllegalStateException if it failed or took longer
   */
  public String output(List<String> command, Duration limit) {
    return await(command, pinning.onGeneratorCores(command), limit);
  }

  /** As {@link #output}, on the server's cores: for what a server is compared with. */
  public String outputOnServerCores(List<String> command, Duration limit) {
    return await(command, pinning.onServerCores(command), limit);
  }

  private String await(List<String> command, List<String> pinned, Duration limit) {
    Path output = folder.resolve(Path.of(command.getFirst()).getFileName() + ".out");
    Process process = launch(pinned, Map.of(), output);
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException(name(command) + " did not end within " + limit);
      }
      String text = Files.readString(output, UTF_8);
      if (process.exitValue() != 0) {
        throw new IllegalStateException(name(command) + " failed: " + text);
      }
      return text;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + name(command) + " ran", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      kill(process);
    }
  }

  /** Of a command whose arguments may be a class path: that goes into the note of a row. */
  private static String name(List<String> command) {
    return Path.of(command.getFirst()).getFileName().toString();
  }

  /** Starts a server, on cores of its own, that runs until it is {@linkplain #kill killed}. */
  Process start(List<String> command, Map<String, String> environment, Path output) {
    return launch(pinning.onServerCores(command), environment, output);
  }

  private Process launch(List<String> command, Map<String, String> environment, Path output) {
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
