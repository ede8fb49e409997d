package dev.sluice.telemetry;

/** What carries a call, in TensorFlow Serving's words. */
public enum EntryPoint {
  REST,
  GRPC
}
