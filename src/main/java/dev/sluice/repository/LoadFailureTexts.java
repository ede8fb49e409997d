package dev.sluice.repository;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.VersionStatus.Failure;

/** Words the failure of a load for a status. */
final class LoadFailureTexts {
  private LoadFailureTexts() {}

  static Failure of(Throwable cause) {
    return new Failure(ErrorCode.of(cause), text(cause));
  }

  /** Our own texts are made for people; others need the name of their kind to make sense. */
  private static String text(Throwable cause) {
    return cause instanceof InferenceException known ? known.getMessage() : cause.toString();
  }
}
