package dev.sluice.inference.control;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.VersionState;
import java.util.Optional;

/**
 * The published truth about one version.
 *
 * @param version its number
 * @param state how far it is
 * @param error why it failed to load; empty while nothing is wrong
 */
public record VersionStatus(long version, VersionState state, Optional<Failure> error) {
  /** The failure of a version, for clients and operators. */
  public record Failure(ErrorCode code, String message) {
    public Failure {
      message = BoundedText.ofError(message);
    }
  }

  /** Returns the status of a version that has not failed. */
  public static VersionStatus of(long version, VersionState state) {
    return new VersionStatus(version, state, Optional.empty());
  }
}
