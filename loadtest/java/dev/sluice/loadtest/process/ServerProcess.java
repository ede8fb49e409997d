package dev.sluice.loadtest.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own, on a free port of the loopback interface. */
public final class ServerProcess implements AutoCloseable {
  /** What the Java heap of every server takes, from its start to its end. */
  public static final long HEAP_BYTES = 1L << 30;

  /**
   * The same heap for everyone, in memory from the start: what the process takes later is not heap.
   */
  private static final List<String> HEAP =
      List.of("-Xms1g", "-Xmx1g", "-Xmn340m", "-XX:+AlwaysPreTouch");

  /** What the distribution's start script passes too. */
  private static final List<String> FLAGS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-XX:+UseCompactObjectHeaders",
          "-XX:+UseParallelGC");

  private static final Pattern URL = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");
  private static final long START_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long LOOK_MILLIS = 20;
  private static final int OK = 200;

  private final Children children;
  private final Process process;
  private final String url;

  private ServerProcess(Children children, Process process, String url) {
    this.children = children;
    this.process = process;
    this.url = url;
  }

  /** Starts the distribution on a folder of models. Returns when the models are loaded. */
  public static ServerProcess sluice(Children children, Path models) {
    return distribution(children, Path.of("target/sluice"), models, HEAP, "sluice.out");
  }

  /**
   * Starts a distribution as it is delivered, with the heap that its start script gives it.
   *
   * @param distribution the folder that holds bin/sluice
   * @param name of the file for its output
   */
  public static ServerProcess asDelivered(
      Children children, Path distribution, Path models, String name) {
    return distribution(children, distribution, models, List.of(), name + ".out");
  }

  private static ServerProcess distribution(
      Children children, Path distribution, Path models, List<String> flags, String outputFile) {
    List<String> command =
        List.of(
            distribution.resolve("bin/sluice").toAbsolutePath().toString(),
            "serve",
            "--listen=127.0.0.1:0",
            "--models=" + models.toAbsolutePath(),
            "--set=models.poll_interval=0s",
            "--set=log.level=warn");
    var environment =
        Map.of(
            "JAVA_HOME", System.getProperty("java.home"),
            "SLUICE_JAVA_OPTS", String.join(" ", flags));
    return start(children, command, environment, outputFile);
  }

  /** Starts a class of this class path that prints its URL once it listens. */
  public static ServerProcess peer(Children children, Class<?> main, String... arguments) {
    List<String> command = java();
    command.addAll(HEAP);
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return start(children, command, Map.of(), main.getSimpleName() + ".out");
  }

  /**
   * Starts a program that is told where to listen, and speaks V2. Returns when it says that it is
   * ready.
   *
   * @param port of its HTTP
   * @param name of the file for its output
   */
  public static ServerProcess told(
      Children children,
      List<String> command,
      Map<String, String> environment,
      int port,
      String name) {
    Process process =
        children.start(command, environment, children.folder().resolve(name + ".out"));
    var server = new ServerProcess(children, process, "http://127.0.0.1:" + port);
    try {
      server.awaitReady();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Returns the same process, asked on another of its ports. */
  public ServerProcess at(int otherPort) {
    return new ServerProcess(children, process, "http://127.0.0.1:" + otherPort);
  }

  /** The start of a command that runs a class of this class path. */
  public static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.add("-Dsluice.native.dir=" + System.getProperty("sluice.native.dir"));
    command.add("--class-path=" + absolute(System.getProperty("java.class.path")));
    return command;
  }

  private static String absolute(String classPath) {
    List<String> entries = new ArrayList<>();
    for (String entry : Pattern.compile(File.pathSeparator).splitAsStream(classPath).toList()) {
      entries.add(Path.of(entry).toAbsolutePath().toString());
    }
    return String.join(File.pathSeparator, entries);
  }

  private static ServerProcess start(
      Children children, List<String> command, Map<String, String> environment, String outputFile) {
    Path output = children.folder().resolve(outputFile);
    Process process = children.start(command, environment, output);
    try {
      return new ServerProcess(children, process, awaitUrl(process, output));
    } catch (RuntimeException e) {
      children.kill(process);
      throw e;
    }
  }

  private static String awaitUrl(Process process, Path output) {
    long giveUp = System.nanoTime() + START_LIMIT_NANOS;
    try {
      while (System.nanoTime() < giveUp) {
        boolean ended = process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        String text = Files.readString(output, UTF_8);
        Matcher url = URL.matcher(text);
        if (text.endsWith("\n") && url.find()) {
          return url.group();
        }
        if (ended) {
          throw new IllegalStateException(
              "the server ended at once with %d: %s".formatted(process.exitValue(), text));
        }
      }
      throw new IllegalStateException("the server did not say where it listens: see " + output);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a server started", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the server says that it is ready, which it does once it is warm. */
  public void awaitReady() {
    long giveUp = System.nanoTime() + START_LIMIT_NANOS;
    try (HttpClient client = HttpClient.newHttpClient()) {
      while (!isReady(client)) {
        if (System.nanoTime() > giveUp) {
          throw new IllegalStateException("the server is not ready: " + url);
        }
        if (process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          throw new IllegalStateException("the server ended with " + process.exitValue());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a server became ready", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isReady(HttpClient client) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url + "/v2/health/ready")).build();
    try {
      return client.send(request, BodyHandlers.discarding()).statusCode() == OK;
    } catch (ConnectException e) {
      return false; // It does not listen yet.
    }
  }

  /** Where it listens, without a slash at the end. */
  public String url() {
    return url;
  }

  /** The part of {@link #url} behind the last colon. */
  public int port() {
    return Integer.parseInt(url, url.lastIndexOf(':') + 1, url.length(), 10);
  }

  public ProcessFigures figures() {
    return new ProcessFigures(process.pid());
  }

  @Override
  public void close() {
    children.kill(process);
  }
}
