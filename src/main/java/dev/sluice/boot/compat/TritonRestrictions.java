package dev.sluice.boot.compat;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.security.RestrictedApi;
import dev.sluice.config.security.RestrictedApi.Group;
import dev.sluice.config.security.RestrictedApi.Wire;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Parses Triton's restrictions of APIs to callers with a header: {@code APIS:KEY=VALUE}.
 *
 * <p>No complaint repeats what was got, since it may hold a key.
 */
final class TritonRestrictions {
  /** The prefix that gRPC metadata has before the key. */
  private static final String GRPC_PREFIX = "triton-grpc-protocol-";

  private TritonRestrictions() {}

  /**
   * Reads both flags.
   *
   * @throws ConfigException naming the flag and the group that is unknown or comes twice
   */
  static List<RestrictedApi> of(CompatFlags<TritonFlag> flags) {
    List<RestrictedApi> restricted = new ArrayList<>();
    restricted.addAll(read(flags, TritonFlag.HTTP_RESTRICTED_API, Wire.HTTP, ""));
    restricted.addAll(read(flags, TritonFlag.GRPC_RESTRICTED_PROTOCOL, Wire.GRPC, GRPC_PREFIX));
    return restricted;
  }

  private static List<RestrictedApi> read(
      CompatFlags<TritonFlag> flags, TritonFlag flag, Wire wire, String prefix) {
    List<RestrictedApi> restricted = new ArrayList<>();
    Set<Group> seen = EnumSet.noneOf(Group.class);
    for (String text : flags.all(flag)) {
      int colon = text.indexOf(':');
      int equals = text.indexOf('=', colon + 1);
      if (colon < 1 || equals < colon + 2 || equals == text.length() - 1) {
        // The value is as good as a key, so that it is not shown.
        throw CompatFlags.wanted(flag, "of another form", "APIS:KEY=VALUE");
      }
      Set<Group> groups = EnumSet.noneOf(Group.class);
      for (String name : text.substring(0, colon).split(",", -1)) {
        Group group = group(flag, name);
        if (!seen.add(group)) {
          throw new ConfigException(
              "%s: '%s' can not be specified in multiple config groups"
                  .formatted(flag.flag(), name));
        }
        groups.add(group);
      }
      restricted.add(
          new RestrictedApi(
              wire,
              groups,
              prefix + text.substring(colon + 1, equals),
              text.substring(equals + 1)));
    }
    return restricted;
  }

  private static Group group(TritonFlag flag, String name) {
    return Group.of(name)
        .orElseThrow(() ->
            CompatFlags.wanted(
                flag,
                "for '" + name + "'",
                String.join(", ", EnumSet.allOf(Group.class).stream().map(Group::text).toList())));
  }
}
