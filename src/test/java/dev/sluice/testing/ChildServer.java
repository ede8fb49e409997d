package dev.sluice.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The server as a process of its own, which takes signals: started from the class path of the
 * tests, as {@code bin/sluice} does from the distribution. For the test's own thread.
 */
public final class ChildServer implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** What the start script chooses for a collector, however much memory there is. */
  private static final List<String> COMMON =
      List.of(
          "-XX:+UseCompactObjectHeaders",
          "-XX:+UseAdaptiveSizePolicyWithSystemGC",
          "-XX:-ShrinkHeapInSteps",
          "-XX:MarkSweepDeadRatio=0",
          "-XX:MinHeapFreeRatio=10",
          "-XX:MaxHeapFreeRatio=30",
          "-XX:MetaspaceSize=64m",
          "-XX:SweeperThreshold=30",
          "-XX:+ExitOnOutOfMemoryError",
          "-XX:TrimNativeHeapInterval=60000");

  /** What the start script chooses on two cores. */
  public static final List<String> ON_TWO_CORES = and(COMMON, "-XX:+UseSerialGC", "-Xmn16m");

  /** What it chooses on more. */
  private static final List<String> ON_MORE_CORES = and(COMMON, "-XX:+UseParallelGC", "-Xmn42m");

  /** What it chooses for the cores that there are, in a container of 512 MiB. */
  public static final List<String> IN_512_MIB =
      and(
          Runtime.getRuntime().availableProcessors() <= 2 ? ON_TWO_CORES : ON_MORE_CORES,
          "-Xmx127m",
          "-XX:MaxDirectMemorySize=102m",
          "-XX:MaxRAM=512m");

  private static final List<String> SMALL =
      List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private boolean silent;

  private ChildServer(Process process) {
    this.process = process;
    Thread.ofVirtual().start(this::listen);
  }

  /**
   * Starts a command line, such as {@code serve --listen localhost:8080}. Returns when its ports
   * are open; its models may still load.
   */
  public static ChildServer start(String... arguments) {
    return start(SMALL, arguments);
  }

  /** Serves the models of a folder, with the heap that a container of 512 MiB gets. */
  public static ChildServer small(Path models, int port, String... more) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(
        List.of("serve", "--models", models.toString(), "--listen", "localhost:" + port));
    arguments.addAll(List.of(more));
    return start(IN_512_MIB, arguments.toArray(String[]::new));
  }

  /** Serves the models of a folder, with the flags that a machine of two cores gets, and others. */
  public static ChildServer onTwoCores(Path models, int port, String... moreFlags) {
    List<String> flags = and(and(ON_TWO_CORES, "-Xms40m"), moreFlags);
    return start(flags, "serve", "--models", models.toString(), "--listen", "localhost:" + port);
  }

  private static List<String> and(List<String> flags, String... more) {
    return Stream.concat(flags.stream(), Stream.of(more)).toList();
  }

  /** Starts a command line, and waits for nothing. */
  public static ChildServer begin(String... arguments) {
    return begin(SMALL, arguments);
  }

  /** Starts a command line in a Java VM with these flags, otherwise as {@link #start}. */
  public static ChildServer start(List<String> flags, String... arguments) {
    ChildServer child = begin(flags, arguments);
    child.awaitLine(" listens on");
    return child;
  }

  private static ChildServer begin(List<String> flags, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(
        List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
    command.addAll(flags);
    Optional.ofNullable(System.getProperty("sluice.native.dir"))
        .ifPresent(folder -> command.add("-Dsluice.native.dir=" + folder));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.sluice.boot.Main"));
    command.addAll(List.of(arguments));
    try {
      var builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().putIfAbsent("SLUICE_SHUTDOWN_GRACE_PERIOD", "0s");
      builder.environment().putIfAbsent("SLUICE_STARTUP_WARM_UP", "0s");
      return new ChildServer(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A port that nobody listens on, for a child that cannot be told to choose one itself. */
  public static int freePort() {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void listen() {
    try (BufferedReader reader = process.inputReader()) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        add(line);
      }
    } catch (IOException e) {
      add(e.toString());
    } finally {
      end();
    }
  }

  private synchronized void add(String line) {
    lines.add(line);
    notifyAll();
  }

  private synchronized void end() {
    silent = true;
    notifyAll();
  }

  /** Waits until the child has printed a line with this text in it. */
  public synchronized void awaitLine(String text) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (lines.stream().noneMatch(line -> line.contains(text))) {
      long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (silent || millis <= 0) {
        process.destroyForcibly();
        throw new AssertionError("wanted a line with '" + text + "', got " + lines);
      }
      try {
        wait(millis);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Waits until a version takes requests, written {@code name/number}. */
  public void awaitModel(String version) {
    awaitLine("takes requests model=" + version);
  }

  /** The process's number. */
  public long pid() {
    return process.pid();
  }

  /** Sends a signal, by its name without SIG. */
  public void signal(String name) {
    try {
      int code =
          new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
      if (code != 0) {
        throw new AssertionError("kill gave " + code);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends SIGTERM, and does not wait. */
  public void terminate() {
    process.destroy();
  }

  /** Waits for the end of the process. */
  public int exitCode() {
    try {
      if (process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
        return process.exitValue();
      }
      throw new AssertionError("the process does not end: " + output());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** What it has printed so far. */
  public synchronized List<String> output() {
    return List.copyOf(lines);
  }

  /** Ends it at once if it still runs. */
  @Override
  public void close() {
    process.destroyForcibly();
    exitCode();
  }
}
