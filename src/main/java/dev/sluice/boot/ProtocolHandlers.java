package dev.sluice.boot;

import dev.sluice.boot.cli.VersionText;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.compat.grps.GrpsConfig;
import dev.sluice.config.compat.grps.StreamControlConfig;
import dev.sluice.config.server.KserveConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.OipConfig;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.LogControl;
import dev.sluice.inference.explain.Explainer;
import dev.sluice.ops.CallMonitor;
import dev.sluice.ops.ConsoleHandler;
import dev.sluice.ops.ConsoleModel;
import dev.sluice.ops.ConsoleState;
import dev.sluice.ops.MetricsHandler;
import dev.sluice.ops.openapi.DescribedListener;
import dev.sluice.ops.openapi.OpenApiHandler;
import dev.sluice.protocol.grps.Deployment;
import dev.sluice.protocol.grps.PredictConcurrencyLimit;
import dev.sluice.protocol.grps.brpc.GrpsBrpcHandler;
import dev.sluice.protocol.grps.grpc.GrpsGrpcHandler;
import dev.sluice.protocol.grps.http.CustomPredict;
import dev.sluice.protocol.grps.http.GrpsHttpHandler;
import dev.sluice.protocol.grps.http.StreamControl;
import dev.sluice.protocol.kserve.http.EventAttributes;
import dev.sluice.protocol.kserve.http.KserveDialect;
import dev.sluice.protocol.oip.ForwardedHeaders;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.SharedMemoryRegions;
import dev.sluice.protocol.oip.grpc.OipGrpcHandler;
import dev.sluice.protocol.oip.http.OipHttpHandler;
import dev.sluice.protocol.openai.encoder.EncoderHttpHandler;
import dev.sluice.protocol.openai.http.ModelReports;
import dev.sluice.protocol.openai.http.OpenAiHttpHandler;
import dev.sluice.protocol.openai.responses.ResponsesHttpHandler;
import dev.sluice.protocol.openai.tokens.TokenHttpHandler;
import dev.sluice.protocol.plugin.http.PluginPathsHandler;
import dev.sluice.protocol.tfs.grpc.PredictSettings;
import dev.sluice.protocol.tfs.grpc.TfsModelServiceHandler;
import dev.sluice.protocol.tfs.grpc.TfsPredictionServiceHandler;
import dev.sluice.protocol.tfs.http.TfsDialect;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.protocol.v1.http.V1Dialect;
import dev.sluice.protocol.v1.http.V1Reporter;
import dev.sluice.protocol.v1.http.V1Routes;
import dev.sluice.telemetry.ServerClock;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.brpc.BrpcDispatcher;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.netty.DetectedProtocol;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The protocol handlers of a listener. A new protocol is a line here.
 *
 * @param planes what they ask
 * @param config of the server, with the settings of each protocol
 * @param telemetry what metrics and statistics show
 * @param monitor what the console shows
 * @param concurrencyLimit how many predictions of grps may be under way at once
 * @param regions of shared memory that callers have registered; null where none is served
 * @param requestLogs which calls of TensorFlow Serving's protocol are kept
 */
record ProtocolHandlers(
    Planes planes,
    SluiceConfig config,
    Telemetry telemetry,
    CallMonitor monitor,
    PredictConcurrencyLimit concurrencyLimit,
    @Nullable SharedMemoryRegions regions,
    RequestLogs requestLogs) {
  /**
   * The interfaces of the server that protocol handlers ask.
   *
   * @param data what they ask models through
   * @param control what they manage models through
   * @param logs what is written to the log
   * @param explainer what they have models explained by
   */
  record Planes(DataPlane data, ControlPlane control, LogControl logs, Explainer explainer) {}

  private static final Set<Protocol> OTHER_THAN_GRPS =
      Set.of(Protocol.TFS, Protocol.KSERVE, Protocol.OIP, Protocol.OPENAI);

  /** Makes the handlers anew for each event loop, so that they may keep state without locks. */
  List<HttpProtocolHandler> http(ListenerConfig listener) {
    List<V1Dialect> dialects = dialects(listener);
    List<HttpProtocolHandler> protocolHandlers = new ArrayList<>();
    if (!dialects.isEmpty()) {
      protocolHandlers.add(
          new V1Routes(
              planes.data(), planes.control(), planes.explainer(), dialects, others(listener)));
    }
    if (listener.protocols().contains(Protocol.OIP)) {
      protocolHandlers.add(
          new OipHttpHandler(oipServer(), listener.v1() == ListenerConfig.V1Dialect.KSERVE));
    }
    if (listener.protocols().contains(Protocol.OPENAI)) {
      protocolHandlers.addAll(openAi(dialects.isEmpty()));
    }
    if (listener.protocols().contains(Protocol.GRPS)) {
      protocolHandlers.add(grpsPaths());
    }
    if (listener.protocols().contains(Protocol.METRICS)) {
      protocolHandlers.add(
          new MetricsHandler(telemetry, listener.metricsPath(), metricNames(listener)));
    }
    protocolHandlers.add(console(listener));
    protocolHandlers.add(new OpenApiHandler(described(listener), planes.data(), planes.control()));
    protocolHandlers.add(new PluginPathsHandler(planes.data()));
    return protocolHandlers;
  }

  /**
   * Returns what else has a part in V1's reports on models, unless they are to be one protocol's.
   */
  private static List<V1Reporter> others(ListenerConfig listener) {
    return listener.protocols().contains(Protocol.OPENAI)
            && listener.v1() == ListenerConfig.V1Dialect.BOTH
        ? List.of(ModelReports.fromNow(InstantSource.system()))
        : List.of();
  }

  private List<HttpProtocolHandler> openAi(boolean ownsModels) {
    InstantSource clock = InstantSource.system();
    return List.of(
        new OpenAiHttpHandler(planes.data(), planes.control(), clock, ownsModels),
        new ResponsesHttpHandler(planes.data(), clock),
        new EncoderHttpHandler(planes.data()),
        new TokenHttpHandler(planes.data()));
  }

  private GrpsHttpHandler grpsPaths() {
    return new GrpsHttpHandler(
        planes.data(),
        planes.control(),
        deployment(),
        concurrencyLimit,
        streamControl(),
        customPredict());
  }

  /** Returns the paths that a listener answers over HTTP, but for those of models. */
  HttpRoutes routes(ListenerConfig listener) {
    var routes = new HttpRoutes();
    http(listener).forEach(protocolHandler -> protocolHandler.mount(routes));
    return routes;
  }

  /**
   * Returns whose names of metrics a listener shows, besides Sluice's: those of the servers whose
   * protocols it carries, or, if it carries none, of those of all listeners.
   */
  private Set<MetricNames> metricNames(ListenerConfig listener) {
    Set<Protocol> carried = EnumSet.noneOf(Protocol.class);
    carried.addAll(listener.protocols());
    carried.remove(Protocol.METRICS);
    if (carried.isEmpty()) {
      config.listeners().forEach(other -> carried.addAll(other.protocols()));
    }
    Set<MetricNames> names = EnumSet.of(MetricNames.SLUICE);
    for (Protocol protocol : carried) {
      switch (protocol) {
        case TFS -> names.add(MetricNames.TENSORFLOW);
        case OIP -> names.add(MetricNames.TRITON);
        case KSERVE -> names.add(MetricNames.KSERVE);
        case GRPS, BRPC, OPENAI, METRICS -> {}
      }
    }
    return names;
  }

  private DescribedListener described(ListenerConfig listener) {
    return ListenerDescription.of(
        listener, config, regions != null, audience(listener.protocols()));
  }

  private CustomPredict customPredict() {
    var custom = config.protocols().grps().customizedPredictHttp();
    return new CustomPredict(custom.path().orElse(""), custom.customizedBody());
  }

  private ConsoleHandler console(ListenerConfig listener) {
    var state =
        new ConsoleState(
            VersionText.number(), planes.control(), telemetry, monitor, listener.protocols());
    return new ConsoleHandler(
        state,
        new ConsoleModel(planes.control(), planes.data()),
        monitor,
        audience(listener.protocols()));
  }

  /**
   * Returns the audience of the console: a caller who may read metrics may see it. grps' own server
   * shows its monitor to everybody, and a listener for grps alone has no protocol whose clients
   * expect something else.
   */
  private static ConsoleHandler.Audience audience(Set<Protocol> protocols) {
    if (protocols.contains(Protocol.GRPS)) {
      return Collections.disjoint(protocols, OTHER_THAN_GRPS)
          ? ConsoleHandler.Audience.ALL
          : ConsoleHandler.Audience.BROWSERS;
    }
    return protocols.contains(Protocol.METRICS)
        ? ConsoleHandler.Audience.BROWSERS
        : ConsoleHandler.Audience.NONE;
  }

  private StreamControl streamControl() {
    StreamControlConfig control = config.protocols().grps().streamingCtrl();
    return new StreamControl(
        switch (control.ctrlMode()) {
          case QUERY_PARAM -> StreamControl.Mode.QUERY_PARAM;
          case HEADER_PARAM -> StreamControl.Mode.HEADER_PARAM;
          case BODY_PARAM -> StreamControl.Mode.BODY_PARAM;
        },
        control.ctrlKey(),
        control.resContentType());
  }

  private List<V1Dialect> dialects(ListenerConfig listener) {
    List<V1Dialect> dialects = new ArrayList<>();
    if (listener.protocols().contains(Protocol.TFS)
        && listener.v1() != ListenerConfig.V1Dialect.KSERVE) {
      dialects.add(new TfsDialect(config.limits().maxBodySize(), requestLogs));
    }
    if (listener.protocols().contains(Protocol.KSERVE)
        && listener.v1() != ListenerConfig.V1Dialect.TENSORFLOW) {
      KserveConfig kserve = config.protocols().kserve();
      dialects.add(
          new KserveDialect(
              new EventAttributes(kserve.eventType(), kserve.eventSource(), kserve.eventMerge())));
    }
    return dialects;
  }

  /** Makes the handlers anew for each event loop. */
  List<GrpcProtocolHandler> grpc(ListenerConfig listener) {
    List<GrpcProtocolHandler> protocolHandlers = new ArrayList<>();
    if (listener.protocols().contains(Protocol.TFS)) {
      protocolHandlers.add(new TfsPredictionServiceHandler(planes.data(), predict()));
      protocolHandlers.add(new TfsModelServiceHandler(planes.control(), telemetry, requestLogs));
    }
    if (listener.protocols().contains(Protocol.OIP)) {
      protocolHandlers.add(
          new OipGrpcHandler(oipServer(), listener.v1() == ListenerConfig.V1Dialect.KSERVE));
    }
    if (listener.protocols().contains(Protocol.GRPS)) {
      protocolHandlers.add(grpsService());
    }
    return protocolHandlers;
  }

  /**
   * Returns what the health service of a listener answers for the server as a whole. On a listener
   * for grps alone the online switch counts, too: clients and load balancers there know nothing
   * else.
   */
  BooleanSupplier readiness(ListenerConfig listener) {
    Set<Protocol> protocols = listener.protocols();
    boolean grps = protocols.contains(Protocol.GRPS) || protocols.contains(Protocol.BRPC);
    return grps && Collections.disjoint(protocols, OTHER_THAN_GRPS)
        ? () -> planes.control().online() && planes.control().ready()
        : planes.control()::ready;
  }

  /** Returns the methods that a listener answers over gRPC, but for the standard services. */
  Map<String, Operation> methods(ListenerConfig listener) {
    Map<String, Operation> methods = new TreeMap<>();
    for (GrpcProtocolHandler handler : grpc(listener)) {
      String service = handler.service() + "/";
      handler.methods().forEach((name, method) -> methods.put(service + name, method.operation()));
      handler.streams().forEach((name, method) -> methods.put(service + name, method.operation()));
    }
    return methods;
  }

  private PredictSettings predict() {
    return new PredictSettings(
        config.limits().maxBodySize(), config.protocols().tfs().tensorContent(), requestLogs);
  }

  /** Makes the handlers anew for each event loop. Empty if the listener does not speak brpc. */
  Optional<DetectedProtocol> brpc(ListenerConfig listener, ListenerContext context) {
    return listener.protocols().contains(Protocol.BRPC)
        ? Optional.of(new BrpcDispatcher(List.of(new GrpsBrpcHandler(grpsService())), context))
        : Optional.empty();
  }

  private GrpsGrpcHandler grpsService() {
    return new GrpsGrpcHandler(planes.data(), planes.control(), deployment(), concurrencyLimit);
  }

  private Deployment deployment() {
    GrpsConfig grps = config.protocols().grps();
    String defaultModel = grps.defaultModel().orElse("");
    return grps.deployment()
        .map(files ->
            new Deployment(
                defaultModel, files.models().names(), files.serverText(), files.models().texts()))
        .orElseGet(() -> Deployment.of(defaultModel));
  }

  private OipServer oipServer() {
    OipConfig oip = config.protocols().oip();
    return new OipServer(
        planes.data(),
        planes.control(),
        planes.logs(),
        new OipServer.Identity(oip.serverName(), VersionText.number()),
        telemetry,
        new ForwardedHeaders(oip.forwardHttpHeaders(), oip.forwardGrpcMetadata()),
        regions,
        ServerClock.NANO_TIME);
  }
}
