package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.StepsCaller.Outcome;
import dev.sluice.testing.StepsCaller.Protocol;
import dev.sluice.testing.StepsCaller.Request;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table on the page about faults, row by row: each fault is made in a server, and every
 * protocol is asked what its cell says. The last rows stop the server.
 */
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FaultMatrixIT {
  private static final Path PAGE = Path.of("src/docs/operate/faults.md");

  /** A run that nobody here sees the end of. */
  private static final long ENDLESS = 1_000_000_000_000L;

  /** Numbers for which a thousand operators take many seconds, in 40 MiB. */
  private static final long DEEP = 5_000_000;

  /** Bytes of a body that is announced and does not come. */
  private static final int HALF_SENT = 2_000_000;

  private static final String WAITING =
      "{\"inputs\":[{\"name\":\"steps\",\"datatype\":\"INT64\",\"shape\":[1],\"data\":[1]}]}";

  private static final int TIMEOUT_MILLIS = 300;

  @TempDir private static Path folder;
  private static Path models;
  private static ChildServer server;
  private static StepsCaller caller;
  private static ExecutorService threads;
  private static int port;
  private static int kservePort;
  private static KeyServerFaults tokens;

  /** One line of the table: what every protocol answers, and whether that is to be sent again. */
  record Row(String fault, Map<Protocol, String> cells, String retry) {
    @Override
    public String toString() {
      return fault;
    }
  }

  static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : table()) {
      List<String> cells = Arrays.stream(line.split("\\|")).map(String::strip).toList();
      Map<Protocol, String> codes = new EnumMap<>(Protocol.class);
      Iterator<String> next = cells.subList(2, cells.size()).iterator();
      for (Protocol protocol : Protocol.values()) {
        codes.put(protocol, next.next());
      }
      rows.add(new Row(cells.get(1), codes, cells.getLast()));
    }
    return rows;
  }

  /** The lines of the first table below its head. */
  private static List<String> table() throws IOException {
    List<String> lines =
        Files.readAllLines(PAGE).stream()
            .dropWhile(line -> !line.startsWith("| fault |"))
            .takeWhile(line -> line.startsWith("|"))
            .toList();
    List<String> columns = Arrays.stream(lines.getFirst().split("\\|")).map(String::strip).toList();
    assertThat(columns.subList(2, columns.size() - 1))
        .containsExactly(
            Arrays.stream(Protocol.values()).map(Protocol::column).toArray(String[]::new));
    return lines.subList(2, lines.size());
  }

  @BeforeAll
  static void start() throws IOException {
    models = Files.createDirectories(folder.resolve("models"));
    loop("hangs", "breaker: { hang: 100ms, abandoned_runs: 0 }\n");
    loop("slow", "breaker: { hang: 0s }\n");
    loop("full", "breaker: { hang: 0s }\nmax_queued_requests: 1\n");
    loop("updated", "");
    loop("removed", "");
    loop("dies", "isolation: process\n");
    loop("crashes", "isolation: process\n");
    noise(models.resolve("broken/1"));
    Files.createDirectories(models.resolve("empty"));
    new OnnxModelWriter()
        .input("steps", OnnxModelWriter.INT64, "1")
        .output("done", OnnxModelWriter.FLOAT, "1", "2")
        .matrix("table", 2, 2, 1, 2, 3, 4)
        .node("Gather", "done", "table", "steps")
        .writeTo(Files.createDirectories(models.resolve("lookup/1")));
    deep();
    port = ChildServer.freePort();
    kservePort = ChildServer.freePort();
    threads = Executors.newVirtualThreadPerTaskExecutor();
    server = serve(models, port, kservePort, "1s");
    for (String model :
        List.of(
            "hangs", "slow", "full", "updated", "removed", "dies", "crashes", "lookup", "deep")) {
      server.awaitModel(model + "/1");
    }
    caller = new StepsCaller(port, kservePort);
    tokens = new KeyServerFaults(Files.createDirectories(folder.resolve("tokens")));
  }

  private static ChildServer serve(Path models, int port, int kservePort, String drainTimeout)
      throws IOException {
    return ChildServer.start(
        "serve", "--config=" + settings(models, port, kservePort, drainTimeout));
  }

  private static Path settings(Path models, int port, int kservePort, String drainTimeout)
      throws IOException {
    Path settings = folder.resolve(port + ".yml");
    Files.writeString(
        settings,
        """
        listeners:
          - address: localhost:%d
          - address: localhost:%d
            protocols: [kserve]
        models:
          directory: %s
          poll_interval: 50ms
        event_loops: 2
        shutdown:
          drain_timeout: %s
        limits:
          onnx_memory: 64MiB
          memory: 32MiB
        """
            .formatted(port, kservePort, models, drainTimeout));
    return settings;
  }

  /** A run of a thousand operators, over as many numbers as its input says. */
  private static void deep() throws IOException {
    var model = new OnnxModelWriter().input("steps", OnnxModelWriter.INT64, "1");
    model.integers("axis", 0).node("ConstantOfShape", "wave0", "steps");
    for (int i = 0; i < 1000; i++) {
      model.node("Sin", "wave" + (i + 1), "wave" + i);
    }
    model
        .node("ReduceSum", "done", "wave1000", "axis")
        .output("done", OnnxModelWriter.FLOAT, "1")
        .writeTo(Files.createDirectories(models.resolve("deep/1")));
    Files.writeString(
        models.resolve("deep/model.yml"), "breaker: { hang: 50ms, abandoned_runs: 0 }\n");
  }

  private static void loop(String name, String settings) throws IOException {
    loop(models, name, settings);
  }

  private static void loop(Path models, String name, String settings) throws IOException {
    LoopModel.writeRow(models, name);
    Files.writeString(models.resolve(name).resolve("model.yml"), "concurrency: 1\n" + settings);
  }

  private static void noise(Path version) throws IOException {
    byte[] noise = new byte[10_000];
    new Random(2).nextBytes(noise);
    Files.createDirectories(version);
    Files.write(version.resolve("saved_model.pb"), noise);
  }

  @AfterAll
  static void stop() {
    caller.close();
    server.close();
    tokens.close();
    threads.close();
  }

  private static Outcome ask(Protocol protocol, String model, long steps, int timeout) {
    try {
      return caller.ask(protocol, new Request(model, steps, timeout));
    } catch (IOException e) {
      return new Outcome("broken", false, e.toString());
    }
  }

  /** Begins a request on a thread of its own, with a caller of its own. */
  private static CompletableFuture<Outcome> begin(Protocol protocol, String model) {
    return begin(protocol, model, port, kservePort);
  }

  private static CompletableFuture<Outcome> begin(
      Protocol protocol, String model, int port, int kservePort) {
    return begin(protocol, new Request(model, ENDLESS, 0), port, kservePort);
  }

  private static CompletableFuture<Outcome> begin(
      Protocol protocol, Request request, int port, int kservePort) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (var own = new StepsCaller(port, kservePort)) {
            return own.ask(protocol, request);
          } catch (IOException e) {
            return new Outcome("broken", false, e.toString());
          }
        },
        threads);
  }

  private static Map<Protocol, Outcome> all(String model, long steps, int timeout) {
    Map<Protocol, Outcome> outcomes = new EnumMap<>(Protocol.class);
    for (Protocol protocol : Protocol.values()) {
      outcomes.put(protocol, ask(protocol, model, steps, timeout));
    }
    return outcomes;
  }

  private static Map<Protocol, Outcome> hang() {
    var _ = begin(Protocol.V2_REST, "hangs");
    Polling.await("the breaker opens", () -> is("hangs", TIMEOUT_MILLIS, "503"));
    return all("hangs", 1, 0);
  }

  private static boolean is(String model, int timeout, String code) {
    return ask(Protocol.V2_REST, model, 1, timeout).code().equals(code);
  }

  private static Map<Protocol, Outcome> deadline() {
    var _ = begin(Protocol.V2_REST, "slow");
    Polling.await("a run is under way", () -> is("slow", TIMEOUT_MILLIS, "504"));
    return all("slow", 1, TIMEOUT_MILLIS);
  }

  private static Map<Protocol, Outcome> fullQueue() {
    var _ = begin(Protocol.V2_REST, "full");
    String idle = "sluice_model_longest_run_seconds{model=\"full\",version=\"1\"} 0.0\n";
    Polling.await("a run is under way", () -> !caller.metrics().contains(idle));
    var _ = begin(Protocol.V2_REST, "full");
    Polling.await("one request waits", () -> waiting(caller, "full") > 0);
    return all("full", 1, 0);
  }

  private static Map<Protocol, Outcome> updated() {
    try {
      noise(models.resolve("updated/2"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    server.awaitLine("cannot be loaded: model updated/2");
    return all("updated", 1, 0);
  }

  private static Map<Protocol, Outcome> removed() {
    try (Stream<Path> files = Files.walk(models.resolve("removed/1"))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    Polling.await("the version is unloaded", () -> is("removed", 0, "404"));
    return all("removed", 1, 0);
  }

  /** Its files cannot be opened again, so that it stays as it is while every protocol asks. */
  private static Map<Protocol, Outcome> died(String model, String signal) {
    var process =
        Pattern.compile("process_resident_bytes\\{model=\"" + model + "\",pid=\"(\\d+)")
            .matcher(caller.metrics());
    assertThat(process.find()).isTrue();
    try {
      noise(models.resolve(model + "/1"));
      new ProcessBuilder("kill", "-s", signal, process.group(1)).start();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    Polling.await("the model is out of service", () -> is(model, 0, "503"));
    return all(model, 1, 0);
  }

  /** The runs are ended, and the model goes on. */
  private static Map<Protocol, Outcome> ended() {
    Map<Protocol, Outcome> outcomes = all("deep", DEEP, 0);
    assertThat(all("deep", 1, 0))
        .allSatisfy((_, outcome) -> assertThat(outcome.code()).matches("200|OK.*|0.*"));
    return outcomes;
  }

  /** What every protocol is answered while other clients have connections. */
  private static Map<Protocol, Outcome> beside(
      int clients, String sent, boolean leave, Runnable ready) {
    List<Socket> others = new ArrayList<>();
    try {
      for (int i = 0; i < clients; i++) {
        var other = new Socket(InetAddress.getLoopbackAddress(), port);
        other.getOutputStream().write(sent.getBytes(US_ASCII));
        others.add(other);
        if (leave) {
          // What the server writes is answered with a reset.
          other.setSoLinger(true, 0);
          other.close();
        }
      }
      ready.run();
      return all("lookup", 1, 0);
    } catch (IOException e) {
      throw new AssertionError(e);
    } finally {
      others.forEach(FaultMatrixIT::close);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The head of a request, and what has come of its body. */
  private static String request(long length, String body) {
    return "POST /v2/models/lookup/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(length, body);
  }

  /** One of the others was refused. */
  private static void awaitThatMemoryIsUsedUp() {
    var refused = Pattern.compile("sluice_memory_refused_total\\S* [1-9]");
    Polling.await("memory is used up", () -> refused.matcher(caller.metrics()).find());
  }

  /** Requests that begin while an event loop is held, and end when it goes on. */
  private static Map<Protocol, Outcome> blocked() {
    try {
      Path loops = Files.createDirectories(folder.resolve("loops"));
      loop(loops, "short", "");
      int own = ChildServer.freePort();
      int kserve = ChildServer.freePort();
      int debug = ChildServer.freePort();
      List<String> flags = List.of("-Xmx256m", "-XX:+UseSerialGC", BlockedEventLoop.flag(debug));
      String config = "--config=" + settings(loops, own, kserve, "1s");
      try (var held = ChildServer.start(flags, "serve", config)) {
        held.awaitModel("short/1");
        try (var loop = BlockedEventLoop.of(debug, own)) {
          Map<Protocol, CompletableFuture<Outcome>> running = new EnumMap<>(Protocol.class);
          for (Protocol protocol : Protocol.values()) {
            running.put(protocol, begin(protocol, new Request("short", 1, 0), own, kserve));
          }
          loop.awaitProblem();
          loop.release();
          return joined(running);
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<Protocol, Outcome> joined(Map<Protocol, CompletableFuture<Outcome>> running) {
    Map<Protocol, Outcome> outcomes = new EnumMap<>(Protocol.class);
    running.forEach((protocol, outcome) -> outcomes.put(protocol, outcome.join()));
    return outcomes;
  }

  private static Map<Protocol, Outcome> stopped() {
    return whileAllRun(port, kservePort, caller, server::terminate);
  }

  /** A server that would wait for its runs much longer than this test does. */
  private static Map<Protocol, Outcome> hurried() {
    try {
      Path slow = Files.createDirectories(folder.resolve("slow"));
      loop(slow, "slow", "breaker: { hang: 0s }\n");
      int own = ChildServer.freePort();
      int kserve = ChildServer.freePort();
      try (var patient = serve(slow, own, kserve, "10m");
          var asking = new StepsCaller(own, kserve)) {
        patient.awaitModel("slow/1");
        var _ = begin(Protocol.V2_REST, "slow", own, kserve);
        return whileAllRun(
            own,
            kserve,
            asking,
            () -> {
              patient.signal("TERM");
              patient.awaitLine("draining");
              patient.signal("TERM");
            });
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** What every protocol is answered if something happens while all its requests wait. */
  private static Map<Protocol, Outcome> whileAllRun(
      int port, int kservePort, StepsCaller asking, Runnable event) {
    Map<Protocol, CompletableFuture<Outcome>> running = new EnumMap<>(Protocol.class);
    for (Protocol protocol : Protocol.values()) {
      running.put(protocol, begin(protocol, "slow", port, kservePort));
    }
    Polling.await("all wait", () -> waiting(asking, "slow") >= running.size());
    event.run();
    return joined(running);
  }

  /** How many requests of a model wait for a run. */
  private static int waiting(StepsCaller asking, String model) {
    String metrics = asking.metrics();
    var count =
        Pattern.compile("nv_inference_pending_request_count\\{model=\"" + model + "\".*?} (\\d+)")
            .matcher(metrics);
    return count.find() ? Integer.parseInt(count.group(1)) : 0;
  }

  private static Map<Protocol, Outcome> outcomes(String fault) {
    return switch (fault) {
      case "a run of the model hangs" -> hang();
      case "a run hangs that can be ended" -> ended();
      case "a run wants more than `limits.onnx_memory`" -> all("deep", 1L << 32, 0);
      case "the deadline of the request passes" -> deadline();
      case "the queue of the model is full" -> fullQueue();
      case "the model cannot run on these values" -> all("lookup", 1_000, 0);
      case "the process of an isolated model died" -> died("dies", "KILL");
      case "an isolated model crashes natively" -> died("crashes", "SEGV");
      case "other clients use up `limits.memory`" ->
          beside(40, request(HALF_SENT, "{"), false, FaultMatrixIT::awaitThatMemoryIsUsedUp);
      case "other clients do not read" ->
          beside(
              20, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(300), false, () -> {});
      case "other clients vanish while they send" ->
          beside(200, request(HALF_SENT, "{"), true, () -> {});
      case "other clients vanish while they wait" ->
          beside(200, request(WAITING.length(), WAITING), true, () -> {});
      case "a newer version is broken" -> updated();
      case "the only version is broken" -> all("broken", 1, 0);
      case "no version is there yet" -> all("empty", 1, 0);
      case "the version was removed" -> removed();
      case "there is no such model" -> all("missing", 1, 0);
      case "an event loop does not turn for 20 s, and then does" -> blocked();
      case "the server of the tokens' keys fails" -> tokens.failing();
      case "the server of the tokens' keys hangs" -> tokens.hanging();
      case "it hangs, and a token is of a key that has not come" -> tokens.waiting();
      case "the tokens' keys have rotated" -> tokens.rotated();
      case "a token is of a key that was rotated out" -> tokens.rotatedOut();
      case "SIGTERM, and the run outlasts `drain_timeout`" -> stopped();
      case "a second SIGTERM, whatever `drain_timeout` is" -> hurried();
      case "the server has closed its port" -> all("updated", 1, 0);
      default -> throw new AssertionError("nobody makes the fault: " + fault);
    };
  }

  @Order(1)
  @ParameterizedTest
  @MethodSource("rows")
  void everyProtocolAnswersAsThePageSays(Row row) {
    Map<Protocol, Outcome> outcomes = outcomes(row.fault);
    Map<Protocol, String> codes = new EnumMap<>(Protocol.class);
    outcomes.forEach((protocol, outcome) -> codes.put(protocol, outcome.code()));
    assertThat(codes).as(outcomes.toString()).isEqualTo(row.cells);
    boolean later = row.retry.equals("later");
    outcomes.forEach((protocol, outcome) -> {
      if (later && outcome.code().matches("503|429|UNAVAILABLE|RESOURCE_EXHAUSTED")) {
        assertThat(outcome.saysWhen()).as(protocol + ": " + outcome).isTrue();
      }
    });
  }

  @Order(2)
  @Test
  void theServerHasEndedWell() {
    assertThat(server.exitCode()).isZero();
  }

  @Order(3)
  @Test
  void classesThatHoldTheRestArePartOfTheTests() throws IOException {
    List<String> names =
        Pattern.compile("`(\\w+(?:IT|Test))`")
            .matcher(Files.readString(PAGE))
            .results()
            .map(match -> match.group(1))
            .toList();
    assertThat(names).isNotEmpty();
    try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".java", "")).toList())
          .containsAll(names);
    }
  }
}
