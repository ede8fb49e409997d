package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.peer.RunningPeer;
import dev.sluice.loadtest.peer.RustPeer;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What requests cost Sluice as it is delivered, beside a bare server that is written in Rust for
 * the model it serves.
 */
final class BesideRust implements Workload {
  /** Sluice may take nine tenths of the processor time. */
  private static final double GOAL = 1 / 0.9;

  private static final int CONNECTIONS = 32;
  private static final int FEW = 8;
  private static final int STREAMS = 16;
  private static final int[] ROW = {1, 128};
  private static final int[] PICTURE = {1, 3, 224, 224};

  /** Both servers, with one model. */
  private record Sides(Lab lab, ServerProcess sluice, RunningPeer rust) {
    Row overHttp(String title, Request request, int connections) {
      Load load = lab.load(connections);
      return row(
          title, List.of(lab.wrk(sluice, request, load), lab.wrk(rust.http(), request, load)));
    }

    Row overGrpc(String title, Request request, Load load) {
      return row(
          title,
          List.of(
              OtherServer.calls(lab, sluice, request, load),
              OtherServer.calls(lab, rust.grpc(), request, load)));
    }

    private Row row(String title, List<Round<Measurement>> sides) {
      return OtherServer.row(title + ", beside " + RustPeer.PACKAGES, GOAL, lab.byTurns(sides));
    }
  }

  /** Measures rows of one model. */
  private interface Rows {
    List<Row> of(Sides sides);
  }

  @Override
  public String name() {
    return "peer-rust";
  }

  @Override
  public List<Row> measure(Lab lab) {
    try {
      var rust = new RustPeer(lab.children(), lab.folder().resolveSibling("peers"));
      return Stream.concat(
              with(lab, rust, lab.models().small(), Models.MLP, ROW, BesideRust::small).stream(),
              with(lab, rust, lab.models().images(), Models.IMAGE, PICTURE, BesideRust::picture)
                  .stream())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Row> with(
      Lab lab, RustPeer rust, Path models, String model, int[] shape, Rows rows)
      throws IOException {
    Path file = Models.version(models, model).resolve("model.onnx");
    try (ServerProcess sluice =
            ServerProcess.asDelivered(
                lab.children(), Path.of("target/sluice"), models, "sluice-" + model);
        RunningPeer other = rust.start(model, file)) {
      sluice.awaitReady();
      OtherServer.requireSameNumbers(Requests.v2(model, shape), sluice, other.http());
      return rows.of(new Sides(lab, sluice, other));
    }
  }

  private static List<Row> small(Sides sides) {
    var streams = new Load(FEW, STREAMS, sides.lab.settings().round());
    return List.of(
        sides.overHttp("V2 JSON, 128 floats", Requests.v2(Models.MLP, ROW), CONNECTIONS),
        sides.overHttp("V2 binary, 128 floats", Requests.v2Binary(Models.MLP, ROW), CONNECTIONS),
        sides.overGrpc("V2 gRPC raw, 128 floats", Requests.grpc(Models.MLP, ROW), streams));
  }

  private static List<Row> picture(Sides sides) {
    return List.of(
        sides.overHttp(
            "V2 binary, image of 602 112 bytes", Requests.v2Binary(Models.IMAGE, PICTURE), FEW),
        sides.overGrpc(
            "V2 gRPC raw, image of 602 112 bytes",
            Requests.grpc(Models.IMAGE, PICTURE),
            Load.of(FEW, sides.lab.settings().round())));
  }
}
