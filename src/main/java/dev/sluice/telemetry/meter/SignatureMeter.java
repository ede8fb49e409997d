package dev.sluice.telemetry.meter;

/**
 * Metrics of the runs of one signature. One thread writes, any reads.
 *
 * <p>The number of signatures is the model's, so no cardinality limit is needed.
 */
final class SignatureMeter {
  private final String name;

  /**
   * Requests that were answered, and how long the model computed for them and for steps of streams,
   * which {@link VersionMeter} counts.
   */
  final SingleWriterTimer infer = new SingleWriterTimer();

  SignatureMeter(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }
}
