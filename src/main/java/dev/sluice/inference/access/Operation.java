package dev.sluice.inference.access;

import java.util.Locale;

/**
 * An operation that a caller can ask of the server, whatever the protocol calls it. Each route and
 * method of each protocol names one of these, and each belongs to one role.
 */
public enum Operation {
  INFER(Role.INFERENCE, true),
  EXPLAIN(Role.INFERENCE, true),
  /** Liveness and readiness of the server. */
  HEALTH(Role.METADATA, false),
  /** The server's name, version and extensions. */
  SERVER_METADATA(Role.METADATA, false),
  /** The signatures of a model, and the states of its versions. */
  MODEL_METADATA(Role.METADATA, true),
  /** The readiness of a model. */
  MODEL_READY(Role.METADATA, true),
  /** The configuration of a model. */
  MODEL_CONFIG(Role.METADATA, true),
  /** The models in the repository and their states, as far as the caller may know of them. */
  REPOSITORY_INDEX(Role.METADATA, true),
  /** The gRPC services that a listener carries. */
  REFLECTION(Role.METADATA, false),
  /** The documents of what a listener serves over HTTP, as far as the caller may know of it. */
  OPENAPI(Role.METADATA, true),
  /** The page for Prometheus. */
  METRICS(Role.METRICS, false),
  /** Counts and times of all models that the caller may know of. */
  STATISTICS(Role.METRICS, true),
  /** Counts and times of one model. */
  MODEL_STATISTICS(Role.METRICS, true),
  /** The page for people, and what it shows. */
  CONSOLE(Role.METRICS, false),
  LOAD(Role.CONTROL, true),
  UNLOAD(Role.CONTROL, true),
  /** Replaces the list of models that are served. */
  RELOAD(Role.CONTROL, false),
  ONLINE(Role.CONTROL, false),
  OFFLINE(Role.CONTROL, false),
  /** Reads and changes what is logged. */
  LOGGING(Role.ADMIN, false),
  /** Reads and changes what is traced. */
  TRACING(Role.ADMIN, false),
  /** Registers regions of shared memory, and names them in requests. */
  SHARED_MEMORY(Role.SHARED_MEMORY, false);

  private final Role role;
  private final boolean control;
  private final boolean ofModel;

  Operation(Role role, boolean ofModel) {
    this.role = role;
    this.control = role.isControl();
    this.ofModel = ofModel;
  }

  /** Returns the one role that includes it. */
  public Role role() {
    return role;
  }

  /** Returns whether its role is one of {@link Role#isControl control}. */
  public boolean isControl() {
    return control;
  }

  /** Returns whether it concerns models each for itself, so that a right to some may be enough. */
  public boolean ofModel() {
    return ofModel;
  }

  /** Returns whether probes and scrapers ask for it, again and again. */
  public boolean isProbe() {
    return this == HEALTH || this == MODEL_READY || this == METRICS;
  }

  /**
   * Returns whether a call for it is followed by a span. Not what is asked for again and again: by
   * probes, scrapers, and pages that show themselves anew.
   */
  public boolean isFollowed() {
    return !isProbe() && this != CONSOLE && this != OPENAPI;
  }

  /** Returns the operation's name in settings and messages. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
