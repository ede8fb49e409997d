package dev.sluice.telemetry.meter;

/** Metrics of the runs of one batch size. One thread writes, any reads. */
final class BatchMeter {
  private final long size;
  final SingleWriterTimer input = new SingleWriterTimer();
  final SingleWriterTimer infer = new SingleWriterTimer();
  final SingleWriterTimer output = new SingleWriterTimer();

  BatchMeter(long size) {
    this.size = size;
  }

  long size() {
    return size;
  }
}
