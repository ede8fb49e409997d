package dev.sluice.security;

import dev.sluice.inference.InferenceException;
import java.util.Optional;

/** Recognises one kind of credential. Does not block; any thread. */
@FunctionalInterface
public interface Authenticator {
  /**
   * Identifies a caller.
   *
   * @return empty if nothing of this kind was presented
   * @throws InferenceException UNAUTHENTICATED for a credential that is not valid, without showing
   *     it
   */
  Optional<Identity> identify(Credentials presented);
}
