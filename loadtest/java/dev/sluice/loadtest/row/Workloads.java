package dev.sluice.loadtest.row;

import java.util.ArrayList;
import java.util.List;

/** All workloads, in the order in which they run and are shown. */
public final class Workloads {
  private Workloads() {}

  public static List<Workload> all() {
    List<Workload> all = new ArrayList<>();
    all.addAll(HttpRate.v1Json());
    all.addAll(HttpRate.v2Json());
    all.add(new RowsCpu());
    all.addAll(HttpRate.v2Binary());
    all.add(GrpcRate.alone());
    all.add(GrpcRate.joined());
    all.add(GrpcRate.inline());
    all.add(HttpRate.image());
    all.add(new GrpcImage());
    all.add(new OneConnection());
    all.add(new Batching());
    all.add(new LightBatching());
    all.add(new SavedModel());
    all.add(new Isolation());
    all.add(new MixedRuns());
    all.add(new Streams("streams", Models.STEP, "4 MB"));
    all.add(new Streams("streams-large", Models.LARGE_STEP, "32 MB"));
    all.add(
        StreamsOfLengths.written(
            "streams-lengths", Models.DECODER, "a decoder of 13 MB that is padded"));
    all.add(
        StreamsOfLengths.written(
            "streams-chat", Models.CHAT, "the sample chat, caches written in place"));
    all.add(new FirstSeconds());
    all.add(new Overload());
    all.add(new IdleConnections());
    all.add(new Footprint());
    return all;
  }

  /** Programs and models of others, which are fetched for it. */
  public static List<Workload> peers() {
    List<Workload> peers = new ArrayList<>(OtherServer.all());
    peers.add(new BesideRust());
    peers.add(new BesideGenAi());
    peers.addAll(SmolLm2Streams.all());
    return peers;
  }
}
