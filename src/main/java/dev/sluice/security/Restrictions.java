package dev.sluice.security;

import dev.sluice.config.security.RestrictedApi;
import dev.sluice.config.security.RestrictedApi.Group;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Operations that need a header by one kind of wire, with Triton's texts. Any thread.
 *
 * <p>Headers are compared in constant time. The texts and codes are Triton's own, since its clients
 * match them.
 */
final class Restrictions {
  private final RestrictedApi.Wire wire;
  private final boolean neverControl;
  private final Map<Operation, RestrictedApi> restricted = new EnumMap<>(Operation.class);

  /**
   * @param neverControl whether control is closed on the listener, also to those with the header
   */
  Restrictions(List<RestrictedApi> all, RestrictedApi.Wire wire, boolean neverControl) {
    this.wire = wire;
    this.neverControl = neverControl;
    for (RestrictedApi api : all) {
      if (api.wire() == wire) {
        for (Operation operation : Operation.values()) {
          Group group = group(operation);
          if (group != null && api.groups().contains(group)) {
            restricted.put(operation, api);
          }
        }
      }
    }
  }

  /** Returns the group of an operation; null if none restricts it. */
  private static @Nullable Group group(Operation operation) {
    return switch (operation) {
      case HEALTH, MODEL_READY -> Group.HEALTH;
      case SERVER_METADATA, MODEL_METADATA, OPENAPI -> Group.METADATA;
      case INFER, EXPLAIN -> Group.INFERENCE;
      case SHARED_MEMORY -> Group.SHARED_MEMORY;
      case MODEL_CONFIG -> Group.MODEL_CONFIG;
      case REPOSITORY_INDEX, LOAD, UNLOAD, RELOAD, ONLINE, OFFLINE -> Group.MODEL_REPOSITORY;
      case STATISTICS, MODEL_STATISTICS, CONSOLE -> Group.STATISTICS;
      case TRACING -> Group.TRACE;
      case LOGGING -> Group.LOGGING;
      case METRICS, REFLECTION -> null;
    };
  }

  boolean isEmpty() {
    return restricted.isEmpty();
  }

  /** Returns a caller with the rights that the headers add, and without those that they lack. */
  Caller apply(Caller caller, Credentials presented) {
    Set<Operation> open = EnumSet.noneOf(Operation.class);
    restricted.forEach((operation, api) -> {
      if (isThere(presented.header(api.header()), api.value())) {
        open.add(operation);
      }
    });
    return new RestrictedCaller(caller, this, open);
  }

  private static boolean isThere(@Nullable String got, String wanted) {
    return got != null
        && MessageDigest.isEqual(
            got.getBytes(StandardCharsets.UTF_8), wanted.getBytes(StandardCharsets.UTF_8));
  }

  boolean covers(Operation operation) {
    return restricted.containsKey(operation);
  }

  /** Returns whether it is forbidden here. */
  boolean isClosed(Operation operation) {
    return neverControl && operation.isControl();
  }

  /** Returns Triton's error for a call without the header, with its codes. */
  InferenceException refusal(Operation operation) {
    RestrictedApi api = restricted.get(operation);
    String header = api == null ? "" : api.header();
    return switch (wire) {
      case HTTP ->
          new InferenceException(
              ErrorCode.PERMISSION_DENIED,
              "This API is restricted, expecting header '" + header + "'");
      case GRPC ->
          new InferenceException(
              ErrorCode.UNAVAILABLE,
              "This protocol is restricted, expecting header '" + header + "'");
    };
  }
}
