package dev.sluice.security;

import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.RestrictedApi;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The rights of callers at one listener. The rights of anonymous callers are worked out once; where
 * no credentials are configured, none is looked for.
 */
public final class ListenerAccess {
  /** Identities whose rights are remembered; beyond them, they are worked out for each request. */
  private static final int MOST_KNOWN = 1_024;

  private final String listener;
  private final List<PolicyRule> rules;
  private final Set<Operation> open;
  private final boolean neverControl;
  private final List<Authenticator> authenticators;
  private final double share;
  private final Map<RestrictedApi.Wire, Restrictions> restrictions =
      new EnumMap<>(RestrictedApi.Wire.class);
  private final Caller anonymous;
  private final ConcurrentMap<Identity, Caller> known = new ConcurrentHashMap<>();

  /**
   * @param listener where callers come in
   * @param security the policy
   * @param authenticators recognise credentials, in order: the first that is presented counts
   */
  public ListenerAccess(
      ListenerConfig listener, SecurityConfig security, List<Authenticator> authenticators) {
    this.listener = listener.address();
    this.rules =
        security.policies().stream()
            .filter(rule -> holdsOn(rule, listener))
            .map(PolicyRule::of)
            .toList();
    this.open = operations(listener.control());
    this.neverControl = listener.control().never();
    this.authenticators = List.copyOf(authenticators);
    this.share = authenticators.isEmpty() ? 1 : security.share();
    this.anonymous = authorise(Identity.ANONYMOUS);
    for (RestrictedApi.Wire wire : RestrictedApi.Wire.values()) {
      var restricted = new Restrictions(security.restricted(), wire, neverControl);
      if (!restricted.isEmpty()) {
        restrictions.put(wire, restricted);
      }
    }
  }

  private static boolean holdsOn(PolicyConfig rule, ListenerConfig listener) {
    return rule.listeners().isEmpty() || rule.listeners().contains(listener.address());
  }

  private static Set<Operation> operations(ControlAccess control) {
    Set<Operation> operations = EnumSet.noneOf(Operation.class);
    control.open().forEach(open -> operations.add(Operation.valueOf(open.name())));
    return operations;
  }

  /**
   * Returns whether anything is looked for that a request presents; if not, every caller is {@link
   * #anonymous}.
   */
  public boolean knowsCredentials() {
    return !authenticators.isEmpty() || !restrictions.isEmpty();
  }

  /** Returns the caller without a credential. */
  public Caller anonymous() {
    return anonymous;
  }

  /** Returns the listener, for error texts. */
  public String listener() {
    return listener;
  }

  /**
   * Identifies a caller where operations may need a header.
   *
   * @throws InferenceException as {@link #caller(Credentials)}
   */
  public Caller caller(Credentials presented, RestrictedApi.Wire wire) {
    Caller caller = caller(presented);
    Restrictions restricted = restrictions.get(wire);
    return restricted == null ? caller : restricted.apply(caller, presented);
  }

  /**
   * Identifies a caller.
   *
   * @throws InferenceException UNAUTHENTICATED for a credential that is not valid: such a caller is
   *     never taken for an anonymous one
   */
  public Caller caller(Credentials presented) {
    for (Authenticator authenticator : authenticators) {
      Optional<Identity> identity = authenticator.identify(presented);
      if (identity.isPresent()) {
        return known(identity.get());
      }
    }
    return anonymous;
  }

  private Caller known(Identity identity) {
    Caller caller = known.get(identity);
    if (caller == null) {
      caller = authorise(identity);
      if (known.size() < MOST_KNOWN) {
        known.put(identity, caller);
      }
    }
    return caller;
  }

  private Caller authorise(Identity identity) {
    return new PolicyCaller(
        listener,
        identity,
        share,
        rules.stream().filter(rule -> rule.concerns(identity)).toList(),
        open,
        neverControl);
  }
}
