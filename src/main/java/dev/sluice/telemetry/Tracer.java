package dev.sluice.telemetry;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Picks the requests to one model that are traced, and writes them down. Any thread. */
final class Tracer {
  private static final Logger LOG = LoggerFactory.getLogger(Tracer.class);

  /**
   * What to do.
   *
   * @param every one of so many requests is traced; 0: none
   * @param left how many more are; negative: without end
   */
  private record Rule(long every, AtomicLong left) {}

  private final AtomicLong seen = new AtomicLong();
  private volatile Rule rule;

  Tracer(Map<String, List<String>> settings) {
    this.rule = rule(settings);
  }

  /** Begins anew, by other settings. */
  void follow(Map<String, List<String>> settings) {
    rule = rule(settings);
  }

  private static Rule rule(Map<String, List<String>> settings) {
    boolean on = List.of("TIMESTAMPS").equals(settings.get(Traces.LEVEL));
    return new Rule(
        on ? number(settings, Traces.RATE) : 0, new AtomicLong(number(settings, Traces.COUNT)));
  }

  private static long number(Map<String, List<String>> settings, String name) {
    return Long.parseLong(settings.getOrDefault(name, List.of("0")).getFirst());
  }

  /** Whether the request that was answered just now is to be traced. */
  boolean takes() {
    Rule now = rule;
    return now.every > 0 && seen.incrementAndGet() % now.every == 0 && takesOneMore(now.left);
  }

  private static boolean takesOneMore(AtomicLong left) {
    return left.getAndUpdate(count -> count > 0 ? count - 1 : count) != 0;
  }

  /** Writes down when a request came to its points, in nanoseconds on one scale. */
  void write(String model, long queued, long begun, long computing, long computed, long ended) {
    LOG.atInfo()
        .addKeyValue("model", model)
        .addKeyValue("REQUEST_START", queued)
        .addKeyValue("QUEUE_START", queued)
        .addKeyValue("COMPUTE_START", begun)
        .addKeyValue("COMPUTE_INPUT_END", computing)
        .addKeyValue("COMPUTE_OUTPUT_START", computed)
        .addKeyValue("COMPUTE_END", ended)
        .addKeyValue("REQUEST_END", ended)
        .log("trace");
  }
}
