package dev.sluice.repository;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.VersionStatus.Failure;

/** Words the failure of a load for a status. */
final class LoadFailureTexts {
  private LoadFailureTexts() {}

  /** Our own texts are made for people; others need the name of their kind to make sense. */
  static Failure of(Throwable cause) {
    return switch (cause) {
      case InferenceException known -> new Failure(known.code(), known.getMessage());
      case ConfigException settings ->
          new Failure(ErrorCode.FAILED_PRECONDITION, String.valueOf(settings.getMessage()));
      default -> new Failure(ErrorCode.of(cause), cause.toString());
    };
  }
}
