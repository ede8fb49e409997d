package dev.sluice.inference;

/** The state of a version, in TensorFlow Serving's words. */
public enum VersionState {
  /** Seen on disk, nothing done yet. */
  START,
  LOADING,
  /** Takes requests. */
  AVAILABLE,
  /** Takes no new requests; earlier ones may still run. */
  UNLOADING,
  /** Unloaded, or failed to load: the status then says why. */
  END
}
