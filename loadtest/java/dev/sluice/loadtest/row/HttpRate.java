package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * How fast HTTP/1.1 is answered, as a part of the ceiling's rate, at the best of some numbers of
 * connections.
 *
 * @param models which folder is served
 * @param goal for the rate
 * @param slower how many times the ceiling's p99 ours may be; 0 if it may be anything
 */
record HttpRate(
    String name,
    String title,
    Function<Models, Path> models,
    Request request,
    List<Integer> connections,
    double goal,
    double slower)
    implements Workload {
  private static final List<Integer> MANY = List.of(64, 256);
  static final String JOINED = "; max_batch_size 64";
  static final String INLINE = JOINED + ", inline_limit 50us";

  /** Both sides at one number of connections. */
  private record Pair(int connections, Measurement ours, Measurement ceiling) {
    double ratio() {
      return ours.rate() / ceiling.rate();
    }
  }

  /** One row as it comes, the same with requests that run together, and on event loops. */
  static List<HttpRate> v1Json() {
    return all("v1-json", "V1 JSON, 128 floats", model -> Requests.v1(model, 1, 128), 0.6, 2);
  }

  static List<HttpRate> v2Json() {
    return all("v2-json", "V2 JSON, 128 floats", model -> Requests.v2(model, 1, 128), 0.6, 2);
  }

  static List<HttpRate> v2Binary() {
    return all(
        "v2-binary", "V2 binary, 128 floats", model -> Requests.v2Binary(model, 1, 128), 0.65, 0);
  }

  private static List<HttpRate> all(
      String name, String title, Function<String, Request> request, double goal, double slower) {
    return List.of(
        small(name, title, request.apply(Models.MLP), goal, slower),
        small(name + "-joined", title + JOINED, request.apply(Models.MLP_JOINED), goal, slower),
        small(name + "-inline", title + INLINE, request.apply(Models.MLP_INLINE), goal, slower));
  }

  private static HttpRate small(
      String name, String title, Request request, double goal, double slower) {
    return new HttpRate(name, title, Models::small, request, MANY, goal, slower);
  }

  static HttpRate image() {
    Request request = Requests.v2Binary(Models.IMAGE, 1, 3, 224, 224);
    return new HttpRate(
        "image", "V2 binary, image of 602 112 bytes", Models::images, request, List.of(8), 1.2, 0);
  }

  @Override
  public List<Row> measure(Lab lab) {
    try (ServerProcess sluice = lab.sluice(models.apply(lab.models()));
        ServerProcess ceiling = lab.ceiling(sluice, request)) {
      Answer answer = Answer.to(request, sluice);
      List<Pair> pairs =
          connections.stream().map(count -> pair(lab, sluice, ceiling, count)).toList();
      answer.requireSame(request, sluice);
      return rows(pairs.stream().max(Comparator.comparingDouble(Pair::ratio)).orElseThrow());
    }
  }

  private Pair pair(Lab lab, ServerProcess sluice, ServerProcess ceiling, int count) {
    Load load = lab.load(count);
    List<Measurement> sides =
        lab.byTurns(List.of(lab.wrk(sluice, request, load), lab.wrk(ceiling, request, load)));
    return new Pair(count, sides.getFirst(), sides.getLast());
  }

  private List<Row> rows(Pair best) {
    String note = best.connections + " connections";
    List<Row> rows = new ArrayList<>();
    rows.add(Row.ofRates(title, goal, best.ours, best.ceiling, note));
    if (slower > 0) {
      double ratio = best.ceiling.p99() / best.ours.p99();
      rows.add(
          Row.of(title, "ceiling's p99 ÷ p99", ratio, 1 / slower, best.ours, best.ceiling, note));
    }
    return rows;
  }
}
