package dev.sluice.telemetry.meter;

import dev.sluice.inference.ComposingModelTimes;
import dev.sluice.telemetry.meter.ModelStatistics.BatchTimes;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Metrics of requests that other models answered together, by their rows. Any thread. */
final class ComposedBatches {
  /** Sizes that are counted apart: a client may choose the rows of a request. */
  private static final int MOST_SIZES = 1024;

  private final Size all = new Size();
  private final ConcurrentMap<Long, Size> sizes = new ConcurrentHashMap<>();

  private static final class Size {
    final DurationAdder input = new DurationAdder();
    final DurationAdder infer = new DurationAdder();
    final DurationAdder output = new DurationAdder();

    void add(ComposingModelTimes times) {
      input.add(times.input());
      infer.add(times.infer());
      output.add(times.output());
    }

    BatchTimes times(long rows) {
      return new BatchTimes(rows, input.times(), infer.times(), output.times());
    }
  }

  /** Records an answered request of so many rows. */
  void add(long rows, ComposingModelTimes times) {
    all.add(times);
    Size known = sizes.get(rows);
    if (known == null && sizes.size() < MOST_SIZES) {
      known = sizes.computeIfAbsent(rows, _ -> new Size());
    }
    if (known != null) {
      known.add(times);
    }
  }

  /** Of all requests, as if they were of one size. */
  BatchTimes all() {
    return all.times(0);
  }

  List<BatchTimes> bySize() {
    return sizes.entrySet().stream().map(entry -> entry.getValue().times(entry.getKey())).toList();
  }
}
