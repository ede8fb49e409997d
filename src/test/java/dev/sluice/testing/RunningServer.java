package dev.sluice.testing;

import dev.sluice.boot.SluiceServer;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.TrustConfig;
import dev.sluice.config.server.AccessLogConfig.Format;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.config.server.ShutdownConfig;
import dev.sluice.config.server.StartupConfig;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.tensor.MemoryBudget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A real server on a free port of the loopback interface, with real models. */
public final class RunningServer implements AutoCloseable {
  /** On a free port of the loopback interface, where everybody may control the server. */
  public static final ListenerConfig LISTENER =
      ListenerConfig.DEFAULT.withPort(0).with(ControlAccess.OPEN);

  private final SluiceServer server;

  private RunningServer(SluiceServer server) {
    this.server = server;
  }

  /** Returns a listener as {@link #LISTENER}, for some protocols alone. */
  public static ListenerConfig listener(Set<Protocol> protocols) {
    return new ListenerConfig(
        LISTENER.host(),
        0,
        protocols,
        LISTENER.v1(),
        LISTENER.metricsPath(),
        LISTENER.control(),
        false,
        Optional.empty());
  }

  /** Returns a listener that pages from other origins may call. */
  public static ListenerConfig cors(ListenerConfig of) {
    return new ListenerConfig(
        of.host(),
        of.port(),
        of.protocols(),
        of.v1(),
        of.metricsPath(),
        of.control(),
        true,
        of.tls());
  }

  /** Starts a server without models. */
  public static RunningServer startEmpty() {
    return start(
        settings(
            ListenerConfig.DEFAULT.withPort(0),
            RepositoryConfig.of(DesiredModels.only(Map.of()), Duration.ZERO)));
  }

  /** Serves the models of a folder by every protocol: those of KServe have the second port. */
  public static RunningServer startWithKserve(Path models) {
    var repository = RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO);
    var listeners = List.of(LISTENER, listener(Set.of(Protocol.KSERVE)));
    return start(settings(LISTENER, repository).with(listeners, repository));
  }

  /** Serves the models of a folder. Returns when all of them are loaded or have failed to. */
  public static RunningServer start(Path models) {
    return start(settings(models));
  }

  /** Settings of a server with the models of a folder. */
  public static SluiceConfig settings(Path models) {
    return settings(
        LISTENER, RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO));
  }

  /** The same where jars in the folder are run. */
  public static RunningServer startWithPlugins(Path models) {
    return start(settings(ListenerConfig.DEFAULT.withPort(0), trusting(models, Duration.ZERO)));
  }

  /** The models of a folder, where jars are run. */
  public static RepositoryConfig trusting(Path models, Duration pollInterval) {
    return RecordCopy.with(
        RepositoryConfig.of(new DesiredModels(models, Map.of()), pollInterval),
        "trust",
        TrustConfig.DEFAULT.withPluginFolders(List.of(models)));
  }

  /** The same settings with an access log. */
  public static SluiceConfig logging(SluiceConfig config, Path file, Format format) {
    String log = "observability.accessLog.";
    return RecordCopy.with(
        RecordCopy.with(
            RecordCopy.with(config, log + "enabled", true), log + "file", Optional.of(file)),
        log + "format",
        format);
  }

  /** Settings of a server with one listener, the rest as it comes. */
  public static SluiceConfig settings(ListenerConfig listener, RepositoryConfig repository) {
    return SluiceConfig.DEFAULT.with(List.of(listener), repository);
  }

  /** Starts a server with these settings. Returns when its models are loaded or have failed to. */
  public static RunningServer start(SluiceConfig config) {
    var server = new RunningServer(SluiceServer.start(withoutGrace(withoutWarmUp(config))));
    server.awaitReconciled();
    return server;
  }

  /** Tests that want the time of the default name another one. */
  private static SluiceConfig withoutGrace(SluiceConfig config) {
    ShutdownConfig shutdown = config.process().shutdown();
    return shutdown.gracePeriod().equals(ShutdownConfig.DEFAULT.gracePeriod())
        ? RecordCopy.with(config, "process.shutdown.gracePeriod", Duration.ZERO)
        : config;
  }

  /** Tests that want the time of the default name another one. */
  private static SluiceConfig withoutWarmUp(SluiceConfig config) {
    return config.process().startup().equals(StartupConfig.DEFAULT)
        ? RecordCopy.with(config, "process.startup.warmUp", Duration.ZERO)
        : config;
  }

  /** Ends the drain early. */
  public void stopNow() {
    server.stopNow();
  }

  /** Looks at once at what may have changed. */
  public List<String> reload() {
    return server.reload().toCompletionStage().toCompletableFuture().join();
  }

  /** Waits until no version is on its way. */
  public void awaitReconciled() {
    server.reconciled().toCompletionStage().toCompletableFuture().join();
  }

  /** How its models are. */
  public ControlPlane control() {
    return server.control();
  }

  /** Finds and asks models, past all faces. */
  public DataPlane data() {
    return server.data();
  }

  /** What {@code sluice check} says of its models, besides what failed. */
  public List<String> advice() {
    return server.advice();
  }

  public int port() {
    return server.port();
  }

  /** The ports of its listeners that are on ports, in the order of the settings. */
  public List<Integer> ports() {
    return server.addresses().stream()
        .filter(address -> !address.startsWith("unix:"))
        .map(address -> Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)))
        .toList();
  }

  /** Where HTTP requests go, without a slash at the end. */
  public String url() {
    return "http://localhost:" + port();
  }

  /** What requests hold of its memory. */
  public MemoryBudget memory() {
    return server.memory();
  }

  @Override
  public void close() {
    server.close();
    if (memory().held() != 0) {
      throw new AssertionError("requests still hold " + memory().held() + " bytes");
    }
  }
}
