package dev.sluice.telemetry;

/** What is known of the runs of one size. One thread writes, any reads. */
final class BatchMeter {
  private final long size;
  final Sum input = new Sum();
  final Sum infer = new Sum();
  final Sum output = new Sum();

  BatchMeter(long size) {
    this.size = size;
  }

  long size() {
    return size;
  }
}
