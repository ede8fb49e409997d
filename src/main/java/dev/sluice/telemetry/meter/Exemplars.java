package dev.sluice.telemetry.meter;

import dev.sluice.telemetry.meter.Distribution.Exemplar;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The last request with a span of each bucket of a histogram. Any thread; no locks. Holds nothing
 * before the first one: where no request is sampled, this is one empty reference.
 */
final class Exemplars {
  private final int buckets;
  private volatile @Nullable AtomicReferenceArray<@Nullable Exemplar> last;

  Exemplars(int buckets) {
    this.buckets = buckets;
  }

  /** Keeps it in place of the one before. */
  void put(int bucket, Exemplar exemplar) {
    AtomicReferenceArray<@Nullable Exemplar> known = last;
    if (known == null) {
      known = begin();
    }
    known.set(bucket, exemplar);
  }

  private synchronized AtomicReferenceArray<@Nullable Exemplar> begin() {
    AtomicReferenceArray<@Nullable Exemplar> known = last;
    if (known == null) {
      known = new AtomicReferenceArray<>(buckets);
      last = known;
    }
    return known;
  }

  /** Returns the last of a bucket; null if there was none. */
  @Nullable Exemplar get(int bucket) {
    AtomicReferenceArray<@Nullable Exemplar> known = last;
    return known == null ? null : known.get(bucket);
  }
}
