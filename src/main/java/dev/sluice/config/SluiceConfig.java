package dev.sluice.config;

import dev.sluice.config.binding.Section;
import dev.sluice.config.compat.grps.GrpsConfig;
import dev.sluice.config.compat.grps.GrpsDeployment;
import dev.sluice.config.model.JavaConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.AccessLogConfig;
import dev.sluice.config.server.InferenceLogConfig;
import dev.sluice.config.server.KserveConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.LogConfig;
import dev.sluice.config.server.OipConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.config.server.ShutdownConfig;
import dev.sluice.config.server.SocketTransport;
import dev.sluice.config.server.StartupConfig;
import dev.sluice.config.server.TfsConfig;
import dev.sluice.config.server.TracingConfig;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * All settings of a server: the whole of {@code sluice.yml}.
 *
 * @param listeners where it listens; as read, at least one
 * @param repository where models are, and their common settings
 * @param limits what one caller may cost
 * @param grps what the grps protocol leaves to the server
 * @param kserve what KServe's protocol leaves to the server
 * @param log what it says
 * @param eventLoops threads that read and write sockets; 0: one per core
 * @param transport API of the operating system for sockets. {@code auto} is epoll on Linux; where
 *     the one that is set cannot be had, nio is used
 * @param shutdown how it stops
 * @param tfs what the protocol of TensorFlow Serving leaves to the server
 * @param oip what the Open Inference Protocol leaves to the server
 * @param security who may do what
 * @param tracing what is recorded of single requests
 * @param accessLog what is logged of each call
 * @param inferenceLog what is recorded of sampled requests
 * @param startup how it starts
 */
public record SluiceConfig(
    List<ListenerConfig> listeners,
    RepositoryConfig repository,
    LimitsConfig limits,
    GrpsConfig grps,
    KserveConfig kserve,
    LogConfig log,
    int eventLoops,
    SocketTransport transport,
    ShutdownConfig shutdown,
    TfsConfig tfs,
    OipConfig oip,
    SecurityConfig security,
    TracingConfig tracing,
    AccessLogConfig accessLog,
    InferenceLogConfig inferenceLog,
    StartupConfig startup) {
  private static final int MOST_EVENT_LOOPS = 1024;

  /**
   * address of a further listener, with the settings of one, on which every caller may use control
   * operations. Only for loopback or a Unix domain socket that no proxy forwards to
   */
  private static final String ADMIN = "admin";

  public static final SluiceConfig DEFAULT =
      new SluiceConfig(
          List.of(ListenerConfig.DEFAULT),
          RepositoryConfig.DEFAULT,
          LimitsConfig.DEFAULT,
          GrpsConfig.DEFAULT,
          KserveConfig.DEFAULT,
          LogConfig.DEFAULT,
          0,
          SocketTransport.AUTO,
          ShutdownConfig.DEFAULT);

  /** With the defaults for the protocols of TensorFlow Serving and V2. */
  public SluiceConfig(
      List<ListenerConfig> listeners,
      RepositoryConfig repository,
      LimitsConfig limits,
      GrpsConfig grps,
      KserveConfig kserve,
      LogConfig log,
      int eventLoops,
      SocketTransport transport,
      ShutdownConfig shutdown) {
    this(
        listeners,
        repository,
        limits,
        grps,
        kserve,
        log,
        eventLoops,
        transport,
        shutdown,
        TfsConfig.DEFAULT,
        OipConfig.DEFAULT,
        SecurityConfig.DEFAULT,
        TracingConfig.DEFAULT,
        AccessLogConfig.DEFAULT,
        InferenceLogConfig.DEFAULT,
        StartupConfig.DEFAULT);
  }

  public SluiceConfig {
    listeners = List.copyOf(listeners);
  }

  /** Returns the same, stopping otherwise. */
  public SluiceConfig withShutdown(ShutdownConfig other) {
    return new SluiceConfig(
        listeners,
        repository,
        limits,
        grps,
        kserve,
        log,
        eventLoops,
        transport,
        other,
        tfs,
        oip,
        security,
        tracing,
        accessLog,
        inferenceLog,
        startup);
  }

  /** Returns the same, starting otherwise. */
  public SluiceConfig with(StartupConfig other) {
    return new SluiceConfig(
        listeners,
        repository,
        limits,
        grps,
        kserve,
        log,
        eventLoops,
        transport,
        shutdown,
        tfs,
        oip,
        security,
        tracing,
        accessLog,
        inferenceLog,
        other);
  }

  /** Returns the same settings for a server that only loads models. */
  public SluiceConfig withoutListeners() {
    return new SluiceConfig(
        List.of(),
        repository,
        limits,
        grps,
        kserve,
        log,
        eventLoops,
        transport,
        shutdown,
        tfs,
        oip,
        security,
        tracing,
        accessLog,
        inferenceLog,
        startup);
  }

  /** Returns the same settings with another policy. */
  public SluiceConfig with(SecurityConfig other) {
    return new SluiceConfig(
        listeners,
        repository,
        limits,
        grps,
        kserve,
        log,
        eventLoops,
        transport,
        shutdown,
        tfs,
        oip,
        other,
        tracing,
        accessLog,
        inferenceLog,
        startup);
  }

  /** Returns the same settings with another inference log. */
  public SluiceConfig with(InferenceLogConfig other) {
    return new SluiceConfig(
        listeners,
        repository,
        limits,
        grps,
        kserve,
        log,
        eventLoops,
        transport,
        shutdown,
        tfs,
        oip,
        security,
        tracing,
        accessLog,
        other,
        startup);
  }

  /** Returns the same settings with another access log. */
  public SluiceConfig with(AccessLogConfig other) {
    return new SluiceConfig(
        listeners,
        repository,
        limits,
        grps,
        kserve,
        log,
        eventLoops,
        transport,
        shutdown,
        tfs,
        oip,
        security,
        tracing,
        other,
        inferenceLog,
        startup);
  }

  /** Returns the same settings, telling other things of requests. */
  public SluiceConfig with(TracingConfig other) {
    return new SluiceConfig(
        listeners,
        repository,
        limits,
        grps,
        kserve,
        log,
        eventLoops,
        transport,
        shutdown,
        tfs,
        oip,
        security,
        other,
        accessLog,
        inferenceLog,
        startup);
  }

  /** Returns the same settings for other listeners and models. */
  public SluiceConfig with(List<ListenerConfig> others, RepositoryConfig models) {
    return new SluiceConfig(
        others,
        models,
        limits,
        grps,
        kserve,
        log,
        eventLoops,
        transport,
        shutdown,
        tfs,
        oip,
        security,
        tracing,
        accessLog,
        inferenceLog,
        startup);
  }

  static SluiceConfig read(Section root) {
    var runtimes =
        new RuntimesConfig(
            root.section("onnx", onnx -> OnnxConfig.read(onnx, OnnxConfig.DEFAULT)),
            root.section(
                "tensorflow",
                tensorflow -> TensorflowConfig.read(tensorflow, TensorflowConfig.DEFAULT)),
            root.section("java", JavaConfig::readDefaults));
    GrpsConfig grps = root.section("grps", GrpsConfig::read);
    LogConfig log = root.section("log", LogConfig::read);
    return new SluiceConfig(
        listeners(root, grps),
        root.section("models", models -> RepositoryConfig.read(models, runtimes, grps.models())),
        root.section("limits", LimitsConfig::read),
        grps,
        root.section("kserve", KserveConfig::read),
        log,
        root.number("event_loops", DEFAULT.eventLoops, 0, MOST_EVENT_LOOPS),
        root.choice("transport", DEFAULT.transport),
        root.section("shutdown", ShutdownConfig::read),
        root.section("tfs", TfsConfig::read),
        root.section("oip", OipConfig::read),
        root.section("security", SecurityConfig::read),
        root.section("tracing", TracingConfig::read),
        root.section("access_log", access -> AccessLogConfig.read(access, log)),
        root.section("inference_log", InferenceLogConfig::read),
        root.section("startup", StartupConfig::read));
  }

  private static List<ListenerConfig> listeners(Section root, GrpsConfig grps) {
    List<ListenerConfig> listeners =
        root.list(
            "listeners",
            grps.deployment().map(GrpsDeployment::listeners).orElse(DEFAULT.listeners),
            listener -> listener.sectionOr("address").readAll(ListenerConfig::read));
    return requireDistinct(root, withAdmin(root, listeners));
  }

  /** With the admin listener, if there is one: all protocols, and control without a credential. */
  private static List<ListenerConfig> withAdmin(Section root, List<ListenerConfig> listeners) {
    return root.value(ADMIN)
        .map(admin -> admin.sectionOr("address").readAll(ListenerConfig::readAdmin))
        .map(admin -> Stream.concat(listeners.stream(), Stream.of(admin)).toList())
        .orElse(listeners);
  }

  private static List<ListenerConfig> requireDistinct(
      Section root, List<ListenerConfig> listeners) {
    Set<String> addresses = new HashSet<>();
    for (ListenerConfig listener : listeners) {
      // Port 0 is another port each time.
      boolean free = listener.port() == 0 && listener.socket().isEmpty();
      if (!free && !addresses.add(listener.address())) {
        throw root.error("listeners", "name " + listener.address() + " twice");
      }
    }
    return listeners;
  }
}
