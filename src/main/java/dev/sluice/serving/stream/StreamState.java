package dev.sluice.serving.stream;

/**
 * State of a stream of responses between a model and its reader: see {@link ResponseStream} for the
 * transitions.
 */
public enum StreamState {
  /** Responses may come. */
  OPEN,
  /** The model has ended it. */
  COMPLETED,
  /** The model has failed; an expired deadline is one of its failures. */
  FAILED,
  /** The reader has cancelled: its client cancelled, disconnected or could not be written to. */
  CANCELLED,
  /** Graceful shutdown has ended it. */
  STOPPED
}
