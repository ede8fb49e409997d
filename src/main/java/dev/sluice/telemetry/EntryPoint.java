package dev.sluice.telemetry;

/** What carries a call, in TensorFlow Serving's words where it has them. */
public enum EntryPoint {
  REST,
  GRPC,
  BRPC
}
