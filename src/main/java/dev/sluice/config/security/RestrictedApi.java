package dev.sluice.config.security;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Groups of operations that need a header with a value, as Triton restricts its APIs. The header
 * allows the operations of the groups to every caller that sends it.
 *
 * @param wire by which requests come for which it holds
 * @param groups of operations
 * @param header in lower case
 * @param value which the header must have
 */
public record RestrictedApi(Wire wire, Set<Group> groups, String header, String value) {
  /** The transport of a request. */
  public enum Wire {
    /** HTTP, and what is neither. */
    HTTP,
    /** gRPC and gRPC-Web. */
    GRPC
  }

  /** A group of operations, with the name that Triton's flags have for it. */
  public enum Group {
    HEALTH,
    METADATA,
    INFERENCE,
    SHARED_MEMORY,
    MODEL_CONFIG,
    MODEL_REPOSITORY,
    STATISTICS,
    TRACE,
    LOGGING;

    /** Returns the group's name in flags. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Finds a group by its name in flags. */
    public static Optional<Group> of(String text) {
      return Arrays.stream(values()).filter(group -> group.text().equals(text)).findFirst();
    }
  }

  public RestrictedApi {
    groups = Set.copyOf(groups);
    header = header.toLowerCase(Locale.ROOT);
  }

  /** Shows no value: it is as good as a key. */
  @Override
  public String toString() {
    return "RestrictedApi[%s, %s, %s]".formatted(wire, groups, header);
  }
}
