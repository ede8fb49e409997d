package dev.sluice.telemetry.meter;

import dev.sluice.inference.ModelId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Metrics of loads and warm-ups, by the folder that a version lies in. Any thread.
 *
 * <p>TensorFlow Serving counts loads by path, not by model; the names and labels are its own.
 */
public final class LoadMeters {
  /** Results of loads and warm-ups, in TensorFlow Serving's words. */
  private static final String GOOD = "success";

  private static final String BAD = "fail";

  /** Results of replaying a warm-up file, in TensorFlow Serving's words. */
  private static final String OK = "OK";

  /** Series of each kind: folders may be as many as callers load models from. */
  public static final int MOST = 4_096;

  /** Stands for all folders beyond them. */
  public static final String OTHERS = "others";

  /**
   * A folder and how it went.
   *
   * @param path the folder
   * @param status {@code success} or {@code fail}; of warm-ups {@code OK} or what went wrong
   */
  public record Outcome(String path, String status) {}

  private final ConcurrentMap<Outcome, LongAdder> attempts = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, LongAdder> loadNanos = new ConcurrentHashMap<>();
  private final ConcurrentMap<Outcome, Histogram> warmUps = new ConcurrentHashMap<>();
  private final ConcurrentMap<Outcome, LongAdder> warmUpRecords = new ConcurrentHashMap<>();

  private final ConcurrentMap<Outcome, LongAdder> requestLogs = new ConcurrentHashMap<>();

  private final Set<ModelId> metadataIds = ConcurrentHashMap.newKeySet();

  public LoadMeters() {}

  /** Records whether a version's files were opened. */
  public void opened(String path, long nanos, boolean good) {
    Outcome outcome = outcome(path, good);
    count(attempts, outcome, outcome(OTHERS, good)).increment();
    count(loadNanos, path, OTHERS).add(nanos);
  }

  /**
   * Records that the warm-up file beside a version was replayed.
   *
   * @param records how many it has
   */
  public void warmedUp(String path, long nanos, long records) {
    warmedUp(new Outcome(path, OK), nanos, records);
  }

  /**
   * Records that the warm-up file beside a version could not be read to its end.
   *
   * @param why a code and a text
   */
  public void warmUpFailed(String path, long nanos, String why) {
    warmedUp(new Outcome(path, why), nanos, 0);
  }

  private void warmedUp(Outcome outcome, long nanos, long records) {
    var others = new Outcome(OTHERS, outcome.status().equals(OK) ? OK : BAD);
    of(warmUps, outcome, others, () -> new Histogram(Buckets.LATENCY)).add(nanos);
    count(warmUpRecords, outcome, others).add(records);
  }

  private static <K> LongAdder count(ConcurrentMap<K, LongAdder> counts, K key, K others) {
    return of(counts, key, others, LongAdder::new);
  }

  private static <K, V> V of(ConcurrentMap<K, V> all, K key, K others, Supplier<V> made) {
    V known = all.get(key);
    if (known != null) {
      return known;
    }
    return all.computeIfAbsent(all.size() < MOST ? key : others, _ -> made.get());
  }

  private static Outcome outcome(String path, boolean good) {
    return new Outcome(path, good ? GOOD : BAD);
  }

  /**
   * Records whether a request was written to a request log.
   *
   * @param status {@code OK}, or the name of a code
   */
  public void requestLogged(String model, String status) {
    count(requestLogs, new Outcome(model, status), new Outcome(OTHERS, status)).increment();
  }

  /** By model in place of a path. */
  public Map<Outcome, LongAdder> requestLogs() {
    return requestLogs;
  }

  /** Records that a version has an id of ML metadata beside its files. */
  public void metadataId(ModelId model) {
    if (metadataIds.size() < MOST) {
      metadataIds.add(model);
    }
  }

  /** Returns the versions that have an id of ML metadata beside their files. */
  public Set<ModelId> metadataIds() {
    return metadataIds;
  }

  /** Returns the number of loads by how they ended. */
  public Map<Outcome, LongAdder> attempts() {
    return attempts;
  }

  /** Returns the time that loads took, in nanoseconds, by folder. */
  public Map<String, LongAdder> loadNanos() {
    return loadNanos;
  }

  /** Returns the times of warm-ups by how they ended, in nanoseconds. */
  public Map<Outcome, ? extends Distribution> warmUps() {
    return warmUps;
  }

  /** Returns the number of recorded requests that were run, by how they ended. */
  public Map<Outcome, LongAdder> warmUpRecords() {
    return warmUpRecords;
  }
}
