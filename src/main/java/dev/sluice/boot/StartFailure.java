package dev.sluice.boot;

/** The server cannot start, for a reason that its operator can mend. */
public final class StartFailure extends RuntimeException {
  StartFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
