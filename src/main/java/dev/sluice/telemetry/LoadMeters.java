package dev.sluice.telemetry;

import dev.sluice.inference.ModelId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** What is counted of loading and warming up, by the folder that a version lies in. Any thread. */
public final class LoadMeters {
  /** How loads and warm-ups end, in TensorFlow Serving's words. */
  private static final String GOOD = "success";

  private static final String BAD = "fail";

  /**
   * A folder and how it went.
   *
   * @param path the folder
   * @param status {@code success} or {@code fail}
   */
  record Outcome(String path, String status) {}

  private final ConcurrentMap<Outcome, LongAdder> attempts = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, LongAdder> loadNanos = new ConcurrentHashMap<>();
  private final ConcurrentMap<Outcome, Histogram> warmUps = new ConcurrentHashMap<>();
  private final ConcurrentMap<Outcome, LongAdder> warmUpRecords = new ConcurrentHashMap<>();

  private final Set<ModelId> metadataIds = ConcurrentHashMap.newKeySet();

  LoadMeters() {}

  /** A version's files were opened, or could not be. */
  public void opened(String path, long nanos, boolean good) {
    attempts.computeIfAbsent(outcome(path, good), _ -> new LongAdder()).increment();
    loadNanos.computeIfAbsent(path, _ -> new LongAdder()).add(nanos);
  }

  /**
   * A version was warmed up.
   *
   * @param records requests that it was warmed up with
   */
  public void warmedUp(String path, long nanos, long records, boolean good) {
    Outcome outcome = outcome(path, good);
    warmUps.computeIfAbsent(outcome, _ -> new Histogram(Buckets.LATENCY)).add(nanos);
    warmUpRecords.computeIfAbsent(outcome, _ -> new LongAdder()).add(records);
  }

  private static Outcome outcome(String path, boolean good) {
    return new Outcome(path, good ? GOOD : BAD);
  }

  /** A version has an id of ML metadata beside its files. */
  public void metadataId(ModelId model) {
    metadataIds.add(model);
  }

  Set<ModelId> metadataIds() {
    return metadataIds;
  }

  Map<Outcome, LongAdder> attempts() {
    return attempts;
  }

  Map<String, LongAdder> loadNanos() {
    return loadNanos;
  }

  Map<Outcome, ? extends Distribution> warmUps() {
    return warmUps;
  }

  Map<Outcome, LongAdder> warmUpRecords() {
    return warmUpRecords;
  }
}
