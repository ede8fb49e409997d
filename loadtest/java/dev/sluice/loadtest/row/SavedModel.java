package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.List;

/** The same function behind TensorFlow and behind ONNX Runtime, in one server. */
final class SavedModel implements Workload {
  private static final int CONNECTIONS = 64;
  private static final double GOAL = 0.8;

  private final Request saved = Requests.v1(Models.HALF_SAVED, 3, 1);
  private final Request onnx = Requests.v1(Models.HALF_ONNX, 3, 1);

  @Override
  public String name() {
    return "saved-model";
  }

  @Override
  public List<Row> measure(Lab lab) {
    Load load = lab.load(CONNECTIONS);
    try (ServerProcess sluice = lab.sluice(lab.models().half())) {
      Answer.to(onnx, sluice).requireSame(saved, sluice);
      List<Measurement> sides =
          lab.byTurns(List.of(lab.wrk(sluice, saved, load), lab.wrk(sluice, onnx, load)));
      return List.of(
          Row.ofRates(
              "SavedModel half-plus-two, V1 JSON, 64 connections",
              GOAL,
              sides.getFirst(),
              sides.getLast(),
              "ceiling: the same in ONNX Runtime"));
    }
  }
}
