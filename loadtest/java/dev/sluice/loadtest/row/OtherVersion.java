package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * What requests cost this distribution, compared with another one of Sluice, such as that of an
 * earlier commit: processor time per request, both servers running, asked by turns.
 *
 * @param other the folder that holds its bin/sluice
 */
public record OtherVersion(Path other) implements Workload {
  public static final String NAME = "other-version";

  /** What two processes of one distribution differ by. */
  private static final double GOAL = 0.97;

  private static final int CONNECTIONS = 32;
  private static final int STREAMS = 16;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public List<Row> measure(Lab lab) {
    try (ServerProcess ours = start(lab, Path.of("target/sluice"), "this");
        ServerProcess others = start(lab, other, "other")) {
      return List.of(
          row(lab, "V2 JSON, 128 floats", ours, others, http(lab, Requests.v2(Models.MLP, 1, 128))),
          row(
              lab,
              "V2 binary, 128 floats",
              ours,
              others,
              http(lab, Requests.v2Binary(Models.MLP, 1, 128))),
          row(lab, "V2 gRPC raw, 128 floats", ours, others, grpc(lab)));
    }
  }

  private static ServerProcess start(Lab lab, Path distribution, String name) {
    return ServerProcess.asDelivered(lab.children(), distribution, lab.models().small(), name);
  }

  /** How one server is asked. */
  @FunctionalInterface
  private interface Asking {
    Round<Measurement> of(ServerProcess server);
  }

  private static Asking http(Lab lab, Request request) {
    Load load = lab.load(CONNECTIONS);
    return server -> lab.wrk(server, request, load);
  }

  private static Asking grpc(Lab lab) {
    Request request = Requests.grpc(Models.MLP, 1, 128);
    var load = new Load(CONNECTIONS / 4, STREAMS, lab.settings().round());
    return server -> {
      int answer = Answer.to(request, server).body().length;
      return lab.http2(server, request, load, answer);
    };
  }

  private static Row row(
      Lab lab, String title, ServerProcess ours, ServerProcess others, Asking asking) {
    List<Measurement> sides = lab.byTurns(List.of(asking.of(ours), asking.of(others)));
    double cost = sides.getFirst().cpuMicros();
    double otherCost = sides.getLast().cpuMicros();
    return Row.of(
        title,
        "other version's CPU ÷ CPU",
        otherCost / cost,
        GOAL,
        sides.getFirst(),
        sides.getLast(),
        String.format(Locale.ROOT, "%.1f µs of CPU, the other %.1f", cost, otherCost));
  }
}
