package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Curve;
import dev.sluice.loadtest.report.Curve.Point;
import java.util.ArrayList;
import java.util.List;

/** Rate and latency by concurrency, for the plots: one round of each side at each step. */
public final class Curves {
  /** By which they are chosen on the command line. */
  public static final String NAME = "curves";

  private static final List<Integer> STEPS = List.of(1, 4, 16, 64, 256);
  private static final int WARM_UP_CONNECTIONS = 64;

  private Curves() {}

  /** Measures all curves. */
  public static List<Curve> measure(Lab lab) {
    List<Curve> curves = new ArrayList<>();
    curves.addAll(curves(lab, "V1 JSON, 128 floats", Requests.v1(Models.MLP, 1, 128)));
    curves.addAll(curves(lab, "V2 binary, 128 floats", Requests.v2Binary(Models.MLP, 1, 128)));
    return curves;
  }

  private static List<Curve> curves(Lab lab, String workload, Request request) {
    try (ServerProcess sluice = lab.sluice(lab.models().small());
        ServerProcess ceiling = lab.ceiling(sluice, request)) {
      List<Point> ours = new ArrayList<>();
      List<Point> bare = new ArrayList<>();
      point(lab, sluice, request, WARM_UP_CONNECTIONS);
      point(lab, ceiling, request, WARM_UP_CONNECTIONS);
      for (int connections : STEPS) {
        ours.add(point(lab, sluice, request, connections));
        bare.add(point(lab, ceiling, request, connections));
      }
      return List.of(new Curve(workload, "Sluice", ours), new Curve(workload, "ceiling", bare));
    }
  }

  private static Point point(Lab lab, ServerProcess server, Request request, int connections) {
    Load load = lab.load(connections);
    Measurement round = lab.wrk().run(server.url(), request, load);
    return new Point(connections, round.rate(), round.p50(), round.p99());
  }
}
