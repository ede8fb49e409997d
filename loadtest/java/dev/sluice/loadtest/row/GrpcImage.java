package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.peer.GrpcJavaServer;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.List;

/** A large message over gRPC, beside another library. */
final class GrpcImage implements Workload {
  private static final int CONNECTIONS = 8;
  private static final double GOAL = 1.2;

  private final Request request = Requests.grpc(Models.IMAGE, 1, 3, 224, 224);

  @Override
  public String name() {
    return "grpc-image";
  }

  @Override
  public List<Row> measure(Lab lab) {
    Load load = lab.load(CONNECTIONS);
    String model = Models.version(lab.models().images(), Models.IMAGE).toString();
    try (ServerProcess sluice = lab.sluice(lab.models().images());
        ServerProcess grpcJava = ServerProcess.peer(lab.children(), GrpcJavaServer.class, model)) {
      Answer answer = Answer.to(request, sluice);
      answer.requireSame(request, grpcJava);
      int size = answer.body().length;
      List<Measurement> sides =
          lab.byTurns(
              List.of(
                  lab.http2(sluice, request, load, size),
                  lab.http2(grpcJava, request, load, size)));
      return List.of(
          Row.ofRates(
              "V2 gRPC raw, image of 602 112 bytes",
              GOAL,
              sides.getFirst(),
              sides.getLast(),
              "8 connections; ceiling: grpc-java"));
    }
  }
}
