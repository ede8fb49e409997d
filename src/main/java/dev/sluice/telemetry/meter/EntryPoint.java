package dev.sluice.telemetry.meter;

/** The transport of a call, in TensorFlow Serving's words where it has them. */
public enum EntryPoint {
  REST,
  GRPC,
  BRPC
}
