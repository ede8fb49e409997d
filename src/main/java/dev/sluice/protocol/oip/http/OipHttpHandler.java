package dev.sluice.protocol.oip.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.access.Operation;
import dev.sluice.protocol.oip.Classification;
import dev.sluice.protocol.oip.ModelDescription;
import dev.sluice.protocol.oip.OipModels;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.protocol.oip.Statistics;
import dev.sluice.protocol.oip.http.InferDecoder.Decoded;
import dev.sluice.protocol.oip.http.InferEncoder.Encoded;
import dev.sluice.protocol.oip.http.json.OipMetadataJson;
import dev.sluice.protocol.oip.http.json.StatisticsJson;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.ModelStatistics;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.HttpStatus;
import dev.sluice.transport.http.PathCache;
import dev.sluice.transport.http.ResponseCoding;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The Open Inference Protocol over HTTP: everything under {@code /v2}. One instance may serve all
 * event loops. Failures are answered as {@code {"error":"text"}} with the status of their code.
 */
public final class OipHttpHandler implements HttpProtocolHandler {
  private static final int OK = 200;

  /** Retry-After for a model that loads, as the time that it takes is unknown. */
  private static final Duration SOON = Duration.ofSeconds(1);

  /** Factor by which a byte takes longer to compress than to encode. */
  private static final long COMPRESSION_WORK = 8;

  private static final String OCTETS = "application/octet-stream";

  private final PathCache<OipPath> paths = new PathCache<>(OipPath::of);
  private final OipServer server;
  private final boolean healthInJson;
  private final GenerateRoute generate;
  private final SettingsRoutes settings;
  private final RepositoryRoutes repository;

  /** Null where no shared memory is served. */
  private final @Nullable SharedMemoryRoutes memory;

  /**
   * @param kserve whether it answers as KServe does: health in JSON to everyone, not only to those
   *     who ask for it, and loading and unloading with a body
   */
  public OipHttpHandler(OipServer server, boolean kserve) {
    this.server = server;
    this.healthInJson = kserve;
    this.repository = new RepositoryRoutes(server, kserve);
    this.generate = new GenerateRoute(server);
    this.settings = new SettingsRoutes(server);
    this.memory = server.regions() == null ? null : new SharedMemoryRoutes(server.regions());
  }

  @Override
  public void mount(HttpRoutes routes) {
    routes.claim("/v2", new OipOperations(paths, memory != null), this::handle);
  }

  private void handle(HttpExchange exchange) {
    try {
      OipPath path = paths.read(exchange.path());
      if (memory == null && path.resource().isShared()) {
        throw SharedMemoryRoutes.notServed();
      }
      if (path.resource().allows(exchange.method().name())) {
        path.requireFor(exchange);
        answer(exchange, path);
      } else {
        exchange.putHeader(HttpHeaders.ALLOW, path.resource().allowed());
        exchange.json(405, OipMetadataJson.error("Method Not Allowed"));
      }
    } catch (RuntimeException e) {
      fail(exchange, e);
    }
  }

  private void answer(HttpExchange exchange, OipPath path) {
    switch (path.resource()) {
      case LIVE -> health(exchange, "live", server.control().live(), 400);
      case READY -> health(exchange, "ready", server.control().ready(), 503);
      case SERVER -> exchange.json(OK, OipMetadataJson.server(server));
      case MODELS -> exchange.json(OK, OipMetadataJson.models(models(exchange)));
      case STATISTICS -> statistics(exchange, Statistics.ofAll(server, exchange.caller()));
      case INDEX -> repository.index(exchange);
      case LOAD -> repository.load(exchange, path.model());
      case UNLOAD -> repository.unload(exchange, path.model());
      case MODEL -> exchange.json(OK, OipMetadataJson.metadata(describe(exchange, path)));
      case MODEL_CONFIG -> exchange.json(OK, configuration(exchange, path));
      case MODEL_STATISTICS ->
          statistics(exchange, Statistics.of(server, path.selector(), exchange.caller()));
      case MODEL_READY -> modelReady(exchange, path);
      case INFER -> infer(exchange, path.selector());
      case GENERATE -> generate.answer(exchange, path.selector());
      case GENERATE_STREAM -> generate.stream(exchange, path.selector());
      case LOGGING -> settings.logging(exchange);
      case TRACING -> settings.tracing(exchange);
      case MODEL_TRACING -> settings.tracing(exchange, path.selector());
      case SHARED_STATUS, SHARED_REGISTER, SHARED_UNREGISTER ->
          Objects.requireNonNull(memory).answer(exchange, path.resource(), path.model());
      case CUDA_STATUS, CUDA_REGISTER, CUDA_UNREGISTER ->
          Objects.requireNonNull(memory).answerCuda(exchange, path.resource(), path.model());
    }
  }

  private List<String> models(HttpExchange exchange) {
    return server.control().models(exchange.caller(), Operation.REPOSITORY_INDEX);
  }

  private ModelDescription describe(HttpExchange exchange, OipPath path) {
    return ModelDescription.of(server, path.selector(), exchange.caller());
  }

  private Buffer configuration(HttpExchange exchange, OipPath path) {
    return Buffer.buffer(
        ModelDescription.configuration(server, path.selector(), exchange.caller()).json());
  }

  private static void statistics(HttpExchange exchange, List<ModelStatistics> statistics) {
    exchange.json(OK, StatisticsJson.of(statistics));
  }

  private void health(HttpExchange exchange, String key, boolean good, int badStatus) {
    int status = good ? OK : badStatus;
    if (wantsJson(exchange)) {
      exchange.json(status, OipMetadataJson.flag(key, good));
    } else {
      exchange.empty(status);
    }
  }

  /** KServe's clients read the bodies, but do not ask for them: they accept anything. */
  private boolean wantsJson(HttpExchange exchange) {
    @Nullable String accept = exchange.header(HttpHeaders.ACCEPT);
    return healthInJson || (accept != null && accept.toLowerCase(Locale.ROOT).contains("json"));
  }

  private void modelReady(HttpExchange exchange, OipPath path) {
    ModelLookup lookup =
        server.data().find(path.selector(), exchange.caller(), Operation.MODEL_READY);
    if (lookup instanceof ModelLookup.NotReady) {
      exchange.retryAfter(SOON);
      throw notReady(path.model());
    }
    if (!OipModels.isReady(lookup)) {
      exchange.retryAfter(SOON);
      throw notReady(path.model());
    }
    if (wantsJson(exchange)) {
      exchange.json(OK, OipMetadataJson.modelReady(path.model()));
    } else {
      exchange.empty(OK);
    }
  }

  private InferenceException notReady(String model) {
    return healthInJson
        ? InferenceException.starting("Model with name " + model + " is not ready.")
        : InferenceException.starting(ErrorCode.INVALID_ARGUMENT, "Model version not ready");
  }

  private void infer(HttpExchange exchange, ModelSelector selector) {
    exchange.measure(Api.OIP_INFER, selector.name());
    BinaryHeader.requireOne(exchange.headers().getAll(BinaryHeader.NAME));
    @Nullable String jsonLength = exchange.header(BinaryHeader.NAME);
    exchange
        .body(
            BinaryHeader.tensorAt(jsonLength), body -> decode(exchange, selector, body, jsonLength))
        .compose(decoded -> run(exchange, decoded))
        .compose(encoded -> compress(exchange, encoded))
        .onComplete(encoded -> send(exchange, encoded), failure -> fail(exchange, failure));
  }

  private Future<Decoded> decode(
      HttpExchange exchange, ModelSelector selector, Body body, @Nullable String jsonLength) {
    exchange.record().sample(selector.name());
    Map<String, ParameterValue> headers = server.forwarded().ofHttp(exchange.headers());
    ModelLease model =
        OipModels.admitForOne(server.data(), selector, exchange.caller(), "HTTP end point");
    SharedMemory shared = server.memory(exchange);
    var decoder =
        new InferDecoder(server, model, exchange.deadline(), exchange.requestId(), headers, shared);
    return exchange.decode(
        body.work() + (shared == null ? 0 : shared.work()),
        model,
        () -> decoder.decode(body, jsonLength));
  }

  private Future<Encoded> run(HttpExchange exchange, Decoded decoded) {
    ModelMetadata model = decoded.request().model().metadata();
    exchange.record().traces(decoded.request(), decoded.id());
    return exchange.ask(
        server.data(),
        decoded.request(),
        response -> InferEncoder.likelySize(response, decoded.outputs()),
        response -> encode(decoded, model, response));
  }

  private static Encoded encode(Decoded decoded, ModelMetadata model, InferenceResponse response) {
    Map<String, Integer> classes = decoded.outputs().classes();
    return classes.isEmpty()
        ? InferEncoder.encode(response, decoded.id(), decoded.outputs())
        : Classification.in(
            response,
            classes,
            model,
            shown -> InferEncoder.encode(shown, decoded.id(), decoded.outputs()));
  }

  private static void send(HttpExchange exchange, Encoded encoded) {
    if (encoded.hasBinary()) {
      exchange.putHeader(BinaryHeader.NAME, Integer.toString(encoded.jsonLength()));
      exchange.answer(OK, OCTETS, encoded.body());
    } else {
      exchange.json(OK, encoded.body());
    }
  }

  /**
   * Returns the same answer in the coding that the client likes best. Lengths in it are of the
   * plain.
   */
  private static Future<Encoded> compress(HttpExchange exchange, Encoded plain) {
    ResponseCoding coding = ResponseCoding.of(exchange.header(HttpHeaders.ACCEPT_ENCODING));
    if (coding == ResponseCoding.IDENTITY) {
      return Future.succeededFuture(plain);
    }
    return exchange
        .compute(plain.body().length() * COMPRESSION_WORK, () -> coding.encode(plain.body()))
        .map(body -> {
          exchange.putHeader(HttpHeaders.CONTENT_ENCODING, coding.token());
          return new Encoded(body, plain.jsonLength(), plain.hasBinary());
        });
  }

  /** Answers with the error of a failure. */
  static void fail(HttpExchange exchange, Throwable failure) {
    InferenceException reported = exchange.explain(failure);
    Buffer body = OipMetadataJson.error(reported.getMessage());
    exchange.json(HttpStatus.of(reported.code()), body);
  }
}
