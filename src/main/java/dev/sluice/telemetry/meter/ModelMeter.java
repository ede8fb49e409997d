package dev.sluice.telemetry.meter;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of a model by its name, across its versions. Kept for ever. Any thread.
 *
 * <p>Cardinality limit: only models that exist get a meter of their own; requests for unknown names
 * share one, see {@link UnknownModelMeters}.
 */
public final class ModelMeter {
  private static final int ENTRY_POINTS = EntryPoint.values().length;

  private final String model;
  private final Histogram exampleCounts = new Histogram(Buckets.EXAMPLES);
  private final LongAdder examples = new LongAdder();
  private final AtomicReferenceArray<@Nullable CallMeter> calls =
      new AtomicReferenceArray<>(Api.values().length * ENTRY_POINTS);

  ModelMeter(String model) {
    this.model = model;
  }

  /** Returns the model's name. */
  public String model() {
    return model;
  }

  /** Records that a request brought so many {@code tf.Example}s. */
  public void examples(long count) {
    exampleCounts.add(count);
    examples.add(count);
  }

  /** Returns how many {@code tf.Example}s requests brought. */
  public Distribution exampleCounts() {
    return exampleCounts;
  }

  /** Returns the number of {@code tf.Example}s of all requests. */
  public long examples() {
    return examples.sum();
  }

  /** Returns the meter of such calls, made at the first. */
  public CallMeter calls(Api api, EntryPoint entryPoint) {
    int index = index(api, entryPoint);
    CallMeter known = calls.get(index);
    if (known != null) {
      return known;
    }
    calls.compareAndSet(index, null, new CallMeter());
    return Objects.requireNonNull(calls.get(index));
  }

  /** Returns the meter of such calls, or null if there were none. */
  public @Nullable CallMeter callsSoFar(Api api, EntryPoint entryPoint) {
    return calls.get(index(api, entryPoint));
  }

  /** Returns a place in an array that lives no longer than the enums do. */
  @SuppressWarnings("EnumOrdinal")
  private static int index(Api api, EntryPoint entryPoint) {
    return api.ordinal() * ENTRY_POINTS + entryPoint.ordinal();
  }
}
