package dev.sluice.testing;

import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.JwtConfig;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Caller;
import dev.sluice.security.Identity;
import dev.sluice.security.ListenerAccess;
import java.util.List;
import java.util.Optional;

/** Callers on a listener that takes the header {@code who} for a credential. */
public final class NamedCallers {
  private final ListenerAccess access;

  /**
   * @param share of a model's streams and sequences that one of them may hold
   */
  public NamedCallers(double share, PolicyConfig... policy) {
    access =
        new ListenerAccess(
            ListenerConfig.DEFAULT,
            new SecurityConfig(List.of(policy), ApiKeysConfig.DEFAULT, JwtConfig.DEFAULT, share),
            List.of(presented ->
                Optional.ofNullable(presented.header("who"))
                    .map(name -> new Identity(name, List.of(name)))));
  }

  /** Returns the caller of an identity; of an empty name, one without a credential. */
  public Caller of(String identity) {
    return access.caller(
        name -> !identity.isEmpty() && "who".contentEquals(name) ? identity : null);
  }
}
