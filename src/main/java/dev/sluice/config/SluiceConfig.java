package dev.sluice.config;

import dev.sluice.config.binding.Section;
import dev.sluice.config.compat.grps.GrpsConfig;
import dev.sluice.config.compat.grps.GrpsDeployment;
import dev.sluice.config.model.JavaConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.config.otlp.MetricsExportConfig;
import dev.sluice.config.otlp.TracingConfig;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * All settings of a server: the whole of {@code sluice.yml}. Its sections are grouped by what reads
 * them; in the file each has its own name at the top.
 *
 * @param listeners where it listens; as read, at least one
 * @param repository where models are, and their common settings
 * @param limits what one caller may cost
 * @param protocols what each protocol leaves to the server
 * @param security who may do what
 * @param observability what it says of itself and of requests
 * @param process its threads and sockets, how it starts and stops
 */
public record SluiceConfig(
    List<ListenerConfig> listeners,
    RepositoryConfig repository,
    LimitsConfig limits,
    Protocols protocols,
    SecurityConfig security,
    Observability observability,
    ServerProcess process) {
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
          new Protocols(
              GrpsConfig.DEFAULT, KserveConfig.DEFAULT, TfsConfig.DEFAULT, OipConfig.DEFAULT),
          SecurityConfig.DEFAULT,
          new Observability(
              LogConfig.DEFAULT,
              TracingConfig.DEFAULT,
              MetricsExportConfig.DEFAULT,
              AccessLogConfig.DEFAULT,
              InferenceLogConfig.DEFAULT,
              LoadReports.REQUESTED),
          new ServerProcess(
              0, SocketTransport.AUTO, StartupConfig.DEFAULT, ShutdownConfig.DEFAULT));

  /**
   * What the protocols leave to the server.
   *
   * @param grps what the grps protocol leaves to the server
   * @param kserve what KServe's protocol leaves to the server
   * @param tfs what the protocol of TensorFlow Serving leaves to the server
   * @param oip what the Open Inference Protocol leaves to the server
   */
  public record Protocols(GrpsConfig grps, KserveConfig kserve, TfsConfig tfs, OipConfig oip) {}

  /**
   * What the server says and records.
   *
   * @param log what it says
   * @param tracing what is recorded of single requests
   * @param metricsExport where metrics are sent
   * @param accessLog what is logged of each call
   * @param inferenceLog what is recorded of sampled requests
   * @param loadReports answers over HTTP and gRPC that tell load balancers how busy the server is,
   *     in ORCA's load report: those to requests with {@code endpoint-load-metrics-format}, all, or
   *     none
   */
  public record Observability(
      LogConfig log,
      TracingConfig tracing,
      MetricsExportConfig metricsExport,
      AccessLogConfig accessLog,
      InferenceLogConfig inferenceLog,
      LoadReports loadReports) {
    /** Returns the same, sending other things to collectors. */
    public Observability with(TracingConfig spans, MetricsExportConfig metrics) {
      return new Observability(log, spans, metrics, accessLog, inferenceLog, loadReports);
    }
  }

  /**
   * The process that serves.
   *
   * @param eventLoops threads that read and write sockets; 0: one per core
   * @param transport API of the operating system for sockets. {@code auto} is epoll on Linux; where
   *     the one that is set cannot be had, nio is used
   * @param startup how it starts
   * @param shutdown how it stops
   */
  public record ServerProcess(
      int eventLoops, SocketTransport transport, StartupConfig startup, ShutdownConfig shutdown) {}

  public SluiceConfig {
    listeners = List.copyOf(listeners);
  }

  /** Returns the same settings for other listeners and models. */
  public SluiceConfig with(List<ListenerConfig> others, RepositoryConfig models) {
    return new SluiceConfig(others, models, limits, protocols, security, observability, process);
  }

  /** Returns the same settings with another policy. */
  public SluiceConfig with(SecurityConfig other) {
    return new SluiceConfig(
        listeners, repository, limits, protocols, other, observability, process);
  }

  /** Returns the same settings, saying and recording other things. */
  public SluiceConfig with(Observability other) {
    return new SluiceConfig(listeners, repository, limits, protocols, security, other, process);
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
    var protocols =
        new Protocols(
            grps,
            root.section("kserve", KserveConfig::read),
            root.section("tfs", TfsConfig::read),
            root.section("oip", OipConfig::read));
    List<ListenerConfig> listeners = listeners(root, grps);
    var read =
        new SluiceConfig(
            listeners,
            root.section(
                "models", models -> RepositoryConfig.read(models, runtimes, grps.models())),
            root.section("limits", LimitsConfig::read),
            protocols,
            root.section("security", SecurityConfig::read),
            observability(root),
            process(root));
    read.requireListenersOfPolicies(root);
    return read;
  }

  /** A policy for a listener that there is not would grant nothing, in silence. */
  private void requireListenersOfPolicies(Section root) {
    List<String> known = listeners.stream().map(ListenerConfig::address).toList();
    for (int i = 0; i < security.policies().size(); i++) {
      for (String named : security.policies().get(i).listeners()) {
        if (!known.contains(named)) {
          throw root.error(
              "security.policies[" + i + "].listeners",
              "name \"%s\"; the listeners are %s".formatted(named, String.join(", ", known)));
        }
      }
    }
  }

  private static Observability observability(Section root) {
    LogConfig log = root.section("log", LogConfig::read);
    return new Observability(
        log,
        root.section("tracing", TracingConfig::read),
        root.section("metrics_export", MetricsExportConfig::read),
        root.section("access_log", access -> AccessLogConfig.read(access, log)),
        root.section("inference_log", InferenceLogConfig::read),
        root.choice("load_reports", DEFAULT.observability.loadReports));
  }

  private static ServerProcess process(Section root) {
    ServerProcess otherwise = DEFAULT.process;
    return new ServerProcess(
        root.number("event_loops", otherwise.eventLoops, 0, MOST_EVENT_LOOPS),
        root.choice("transport", otherwise.transport),
        root.section("startup", StartupConfig::read),
        root.section("shutdown", ShutdownConfig::read));
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
