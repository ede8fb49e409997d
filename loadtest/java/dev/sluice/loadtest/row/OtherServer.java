package dev.sluice.loadtest.row;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.peer.PythonPeer;
import dev.sluice.loadtest.peer.RunningPeer;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What requests cost Sluice as it is delivered, beside a server of someone else: the same ONNX
 * model, both running, asked by turns by the same generators.
 *
 * @param peer the other server
 */
record OtherServer(PythonPeer peer) implements Workload {
  private static final JsonMapper JSON = new JsonMapper();

  /** The other server's processor time may be divided by so much. */
  private static final double GOAL = 1 / 0.3;

  private static final double CLOSE = 1e-4;
  private static final int CONNECTIONS = 32;
  private static final int STREAMS = 16;

  /** All servers that can be installed. */
  static List<OtherServer> all() {
    return Arrays.stream(PythonPeer.values()).map(OtherServer::new).toList();
  }

  @Override
  public String name() {
    return "peer-" + peer.peer();
  }

  @Override
  public List<Row> measure(Lab lab) {
    Path models = lab.models().small();
    Path file = Models.version(models, Models.MLP).resolve("model.onnx");
    Path folder = lab.folder().resolveSibling("peers");
    try (ServerProcess sluice =
            ServerProcess.asDelivered(lab.children(), Path.of("target/sluice"), models, "sluice");
        RunningPeer other = peer.start(lab.children(), folder, Models.MLP, file)) {
      sluice.awaitReady();
      return List.of(json(lab, sluice, other.http()), grpc(lab, sluice, other.grpc()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Row json(Lab lab, ServerProcess sluice, ServerProcess other) {
    Request request = Requests.v2(Models.MLP, 1, 128);
    requireSameNumbers(request, sluice, other);
    Load load = lab.load(CONNECTIONS);
    List<Measurement> sides =
        lab.byTurns(List.of(lab.wrk(sluice, request, load), lab.wrk(other, request, load)));
    return row("V2 JSON, 128 floats, beside " + peer.pinnedPackage(), GOAL, sides);
  }

  private Row grpc(Lab lab, ServerProcess sluice, ServerProcess other) {
    Request request = Requests.grpc(Models.MLP, 1, 128);
    var load = new Load(CONNECTIONS / 4, STREAMS, lab.settings().round());
    List<Measurement> sides =
        lab.byTurns(List.of(calls(lab, sluice, request, load), calls(lab, other, request, load)));
    return row("V2 gRPC raw, 128 floats, beside " + peer.pinnedPackage(), GOAL, sides);
  }

  static Round<Measurement> calls(Lab lab, ServerProcess server, Request request, Load load) {
    return lab.http2(server, request, load, Answer.to(request, server).body().length);
  }

  /**
   * Compares what a request costs.
   *
   * @param goal what the other server's processor time divided by ours is to be, at least
   * @param sides ours, and the other one's
   */
  static Row row(String title, double goal, List<Measurement> sides) {
    double cost = sides.getFirst().cpuMicros();
    double otherCost = sides.getLast().cpuMicros();
    return Row.of(
        title,
        "other server's CPU ÷ CPU",
        otherCost / cost,
        goal,
        sides.getFirst(),
        sides.getLast(),
        String.format(
            Locale.ROOT, "%.1f µs of CPU as it is delivered, the other %.1f", cost, otherCost));
  }

  private static double[] numbers(Request request, ServerProcess server) {
    String body = new String(Answer.to(request, server).body(), UTF_8);
    try {
      JsonNode data = JSON.readTree(body).path("outputs").path(0).path("data");
      return data.valueStream().mapToDouble(JsonNode::asDouble).toArray();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an answer that is no JSON: " + body, e);
    }
  }

  /**
   * Refuses a server that computes something else.
   *
   * @param request in JSON
   */
  static void requireSameNumbers(Request request, ServerProcess ours, ServerProcess other) {
    requireSameNumbers(numbers(request, ours), numbers(request, other));
  }

  static void requireSameNumbers(double[] ours, double[] others) {
    boolean same = ours.length > 0 && ours.length == others.length;
    for (int i = 0; same && i < ours.length; i++) {
      same = Math.abs(ours[i] - others[i]) <= CLOSE;
    }
    if (!same) {
      throw new IllegalStateException(
          "the other server answers %s, and this one %s"
              .formatted(Arrays.toString(others), Arrays.toString(ours)));
    }
  }
}
