package dev.sluice.loadtest.row;

import java.util.List;

/** All workloads, in the order in which they run and are shown. */
public final class Workloads {
  private Workloads() {}

  public static List<Workload> all() {
    return List.of(
        HttpRate.v1Json(),
        HttpRate.v2Json(),
        new RowsCpu(),
        HttpRate.v2Binary(),
        new GrpcRate(),
        HttpRate.image(),
        new GrpcImage(),
        new OneConnection(),
        new Batching(),
        new LightBatching(),
        new SavedModel(),
        new Overload(),
        new IdleConnections(),
        new Footprint());
  }
}
