package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.peer.GrpcJavaServer;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.List;

/** Small messages over gRPC, beside another library and beside bare HTTP/2. */
record GrpcRate(String name, String title, Request request) implements Workload {
  private static final int CONNECTIONS = 8;
  private static final int STREAMS = 16;
  private static final String TITLE = "V2 gRPC raw, 128 floats, 128 streams in flight";

  static GrpcRate alone() {
    return new GrpcRate("grpc", TITLE, Requests.grpc(Models.MLP, 1, 128));
  }

  static GrpcRate joined() {
    return new GrpcRate(
        "grpc-joined", TITLE + HttpRate.JOINED, Requests.grpc(Models.MLP_JOINED, 1, 128));
  }

  static GrpcRate inline() {
    return new GrpcRate(
        "grpc-inline", TITLE + HttpRate.INLINE, Requests.grpc(Models.MLP_INLINE, 1, 128));
  }

  @Override
  public List<Row> measure(Lab lab) {
    var load = new Load(CONNECTIONS, STREAMS, lab.settings().round());
    String model = Models.version(lab.models().small(), Models.MLP).toString();
    try (ServerProcess sluice = lab.sluice(lab.models().small());
        ServerProcess bare = lab.ceiling(sluice, request);
        ServerProcess grpcJava = ServerProcess.peer(lab.children(), GrpcJavaServer.class, model)) {
      Answer answer = Answer.to(request, sluice);
      answer.requireSame(request, grpcJava);
      List<Measurement> sides =
          lab.byTurns(
              List.of(
                  side(lab, sluice, load, answer),
                  side(lab, grpcJava, load, answer),
                  side(lab, bare, load, answer)));
      answer.requireSame(request, sluice);
      return List.of(
          Row.ofRates(title, 1.1, sides.get(0), sides.get(1), "ceiling: grpc-java"),
          Row.ofRates(title, 0.45, sides.get(0), sides.get(2), "ceiling: bare HTTP/2"));
    }
  }

  private Round<Measurement> side(Lab lab, ServerProcess server, Load load, Answer answer) {
    return lab.http2(server, request, load, answer.body().length);
  }
}
