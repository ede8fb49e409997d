package dev.sluice.config.security;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * One rule of the policy: it gives roles to identities. Rules add to each other.
 *
 * @param identities callers that the rule is for, with asterisks for any text: {@code anonymous},
 *     {@code authenticated}, {@code key:NAME}, {@code jwt:SUBJECT}, {@code role:NAME}, {@code
 *     cert:SUBJECT}, {@code dns:NAME}, {@code uri:NAME}, {@code spiffe://ID}, {@code uid:NUMBER},
 *     {@code gid:NUMBER}
 * @param roles roles that they get. {@code control} is load, unload, reload, online, offline;
 *     {@code admin} is logging, tracing; {@code shared_memory} is naming regions of shared memory
 * @param models models for which the rule holds, with asterisks; empty: all, and operations that
 *     concern no single model
 * @param listeners addresses of listeners on which the rule holds, as {@code listeners} has them;
 *     empty: all
 * @param highestPriority highest priority that requests may ask for, 1 being the highest; a higher
 *     one is lowered to it
 */
public record PolicyConfig(
    List<String> identities,
    Set<Role> roles,
    List<String> models,
    List<String> listeners,
    int highestPriority) {
  /** A right to a group of operations. */
  public enum Role {
    INFERENCE,
    METADATA,
    METRICS,
    CONTROL,
    ADMIN,
    SHARED_MEMORY
  }

  /** The policy without settings: what every caller may do. */
  public static final PolicyConfig DEFAULT =
      new PolicyConfig(
          List.of("anonymous"),
          EnumSet.of(Role.INFERENCE, Role.METADATA, Role.METRICS),
          List.of(),
          List.of(),
          1);

  private static final Pattern IDENTITY =
      Pattern.compile(
          "anonymous|authenticated|(?:key|jwt|role|cert|dns|uri|uid|gid):.+|spiffe://.+");

  /** A rule under which any priority may be asked for. */
  public PolicyConfig(
      List<String> identities, Set<Role> roles, List<String> models, List<String> listeners) {
    this(identities, roles, models, listeners, 1);
  }

  public PolicyConfig {
    identities = List.copyOf(identities);
    roles = Set.copyOf(roles);
    models = List.copyOf(models);
    listeners = List.copyOf(listeners);
  }

  /** Returns whether it concerns users or groups at the other end of a Unix domain socket. */
  public boolean namesUnixPeers() {
    return identities.stream().anyMatch(name -> name.startsWith("uid:") || name.startsWith("gid:"));
  }

  static PolicyConfig read(Section rule) {
    if (rule.value("identities").isEmpty()) {
      throw rule.missing("identities", "a list such as [\"key:ci\"]");
    }
    if (rule.value("roles").isEmpty()) {
      throw rule.missing(
          "roles", "a list of inference, metadata, metrics, control, admin, shared_memory");
    }
    return new PolicyConfig(
        rule.list("identities", List.of(), PolicyConfig::identity),
        Set.copyOf(rule.list("roles", List.of(), role -> role.constant(Role.class))),
        rule.list("models", List.of(), Setting::text),
        rule.list("listeners", List.of(), Setting::text),
        rule.number("highest_priority", 1, 1, Integer.MAX_VALUE));
  }

  private static String identity(Setting setting) {
    String identity = setting.text();
    if (!IDENTITY.matcher(identity).matches()) {
      throw setting.wanted(
          "anonymous, authenticated, key:NAME, jwt:SUBJECT, role:NAME, cert:SUBJECT, dns:NAME,"
              + " uri:NAME, spiffe://ID, uid:NUMBER or gid:NUMBER");
    }
    return identity;
  }
}
