package dev.sluice.telemetry.meter;

import dev.sluice.telemetry.meter.ModelStatistics.ResponseTimes;
import dev.sluice.telemetry.meter.ModelStatistics.Times;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * Metrics of the responses in a model's streams, by their places: that of a stream's first response
 * is 0. Any thread.
 */
public final class ResponseMeter {
  /** Places that are counted apart; what comes later is counted as the last of them. */
  static final int MOST_PLACES = 1024;

  private final Histogram firstResponses = new Histogram(Buckets.FIRST_RESPONSE);
  private final List<Place> places = new CopyOnWriteArrayList<>();

  /** All streams' responses at one place. What can be summed up is summed up when it is asked. */
  private static final class Place {
    final DurationAdder made = new DurationAdder();
    final LongAdder sending = new LongAdder();
    final DurationAdder fail = new DurationAdder();
    final DurationAdder empty = new DurationAdder();
    final DurationAdder cancel = new DurationAdder();

    ResponseTimes times() {
      Times good = made.times();
      Times bad = fail.times();
      Times none = empty.times();
      long sent = sending.sum();
      return new ResponseTimes(
          good.plus(bad).plus(none),
          new Times(good.count(), sent),
          new Times(good.count(), good.nanos() + sent),
          bad,
          none,
          cancel.times());
    }
  }

  ResponseMeter() {}

  /**
   * Records that a response was made. To be called before it is sent: then who gets it finds it
   * counted.
   */
  public void made(long place, long nanos) {
    at(place).made.add(nanos);
    if (place == 0) {
      firstResponses.add(nanos);
    }
  }

  /** Records that the response that was made was turned into an answer in so long. */
  public void sent(long place, long nanos) {
    at(place).sending.add(nanos);
  }

  /** Records that the stream failed in place of a response. */
  public void failed(long place, long nanos) {
    at(place).fail.add(nanos);
  }

  /** Records that the stream ended, and had not said so with the response before. */
  public void empty(long place, long nanos) {
    at(place).empty.add(nanos);
  }

  /**
   * Records that the reader cancelled before a response, and the model was notified after this
   * time.
   */
  public void cancelled(long place, long nanos) {
    at(place).cancel.add(nanos);
  }

  private Place at(long place) {
    int index = (int) Math.min(place, MOST_PLACES - 1);
    if (index >= places.size()) {
      grow(index);
    }
    return places.get(index);
  }

  private synchronized void grow(int index) {
    while (places.size() <= index) {
      places.add(new Place());
    }
  }

  /** Returns how long streams took to their first responses. */
  public Distribution firstResponses() {
    return firstResponses;
  }

  List<ResponseTimes> statistics() {
    return places.stream().map(Place::times).toList();
  }
}
