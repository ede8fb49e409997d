package dev.sluice.ops.openapi;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.HttpStatus;
import dev.sluice.transport.http.PathOperations;
import dev.sluice.transport.http.PercentCoding;
import dev.sluice.transport.http.ResponseCoding;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The paths below {@code /openapi}: the list of documents, or their page for browsers, the
 * documents and the files of the page. Everything is made by workers, and answered by its entity
 * tag where the client has it already.
 */
public final class OpenApiHandler implements HttpProtocolHandler {
  private static final String PREFIX = "/openapi";

  /** Where the console is, from the folder of the list. */
  private static final String CONSOLE = "console";

  /** Work of a document, which reads every model. */
  private static final long LARGE = Long.MAX_VALUE;

  private final DescribedListener listener;
  private final DataPlane data;
  private final ControlPlane control;
  private final Map<String, OpenApiDocument> documents;

  /**
   * @param listener what the documents are about
   */
  public OpenApiHandler(DescribedListener listener, DataPlane data, ControlPlane control) {
    this.listener = listener;
    this.data = data;
    this.control = control;
    this.documents =
        OpenApiDocument.of(listener).stream()
            .collect(Collectors.toMap(OpenApiHandler::path, Function.identity()));
  }

  @Override
  public void mount(HttpRoutes routes) {
    routes.claim(PREFIX, new Paths(), this::answer);
  }

  private static String path(OpenApiDocument document) {
    return PREFIX + "/" + document.key() + ".json";
  }

  private final class Paths implements PathOperations {
    @Override
    public List<HttpRoute> routes() {
      return Stream.of(List.of(PREFIX), documents.keySet(), PageFile.paths(PREFIX))
          .flatMap(paths -> paths.stream().sorted())
          .map(path -> new HttpRoute("GET", path, Operation.OPENAPI))
          .toList();
    }

    @Override
    public @Nullable Operation of(String asked) {
      return find(asked) == null ? null : Operation.OPENAPI;
    }

    @Override
    public @Nullable String template(String asked) {
      return find(asked) == null ? null : asked;
    }
  }

  /** Answers one request. */
  @FunctionalInterface
  private interface Answer {
    /** Sends what a path stands for. */
    void to(HttpExchange exchange);
  }

  private @Nullable Answer find(String path) {
    if (path.equals(PREFIX)) {
      return this::root;
    }
    OpenApiDocument document = documents.get(path);
    if (document != null) {
      return exchange -> document(exchange, document);
    }
    PageFile file = PageFile.at(PREFIX, path);
    return file == null ? null : exchange -> file(exchange, file);
  }

  private void answer(HttpExchange exchange) {
    Answer answer = find(exchange.path());
    String method = exchange.method().name();
    if (answer == null) {
      refuse(exchange, 404, "Not Found");
    } else if (method.equals("GET") || method.equals("HEAD")) {
      try {
        exchange.require(Operation.OPENAPI);
        answer.to(exchange);
      } catch (InferenceException e) {
        fail(exchange, e);
      }
    } else {
      exchange.putHeader(HttpHeaders.ALLOW, "GET, HEAD");
      refuse(exchange, 405, "Method Not Allowed");
    }
  }

  private void root(HttpExchange exchange) {
    String accepted = exchange.header(HttpHeaders.ACCEPT);
    if (accepted != null && accepted.toLowerCase(Locale.ROOT).contains("text/html")) {
      file(exchange, PageFile.PAGE);
    } else {
      send(exchange, "application/json", () -> index().toBuffer());
    }
  }

  private JsonObject index() {
    var list = new JsonArray();
    for (OpenApiDocument document : OpenApiDocument.of(listener)) {
      list.add(
          new JsonObject()
              .put("name", document.key())
              .put("title", document.title())
              .put("url", path(document).substring(1)));
    }
    var index = new JsonObject().put("documents", list);
    return listener.carries(ApiPart.CONSOLE) ? index.put("console", CONSOLE) : index;
  }

  private void file(HttpExchange exchange, PageFile file) {
    PageFile.POLICY.forEach(exchange::putHeader);
    send(exchange, file.contentType(), file::content);
  }

  private void document(HttpExchange exchange, OpenApiDocument document) {
    Optional<String> model = model(exchange.query());
    Caller caller = exchange.caller();
    send(
        exchange,
        "application/json",
        () -> {
          var models = DescribedModels.read(data, control, caller, model);
          return new DocumentWriter(listener, models, caller).write(document).toBuffer();
        });
  }

  /**
   * Returns the model that a query asks for.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the name cannot be read
   */
  private static Optional<String> model(String query) {
    for (String part : query.split("&", -1)) {
      if (part.startsWith("model=")) {
        String name = part.substring("model=".length()).replace('+', ' ');
        return Optional.of(PercentCoding.decode(name));
      }
    }
    return Optional.empty();
  }

  private static void send(HttpExchange exchange, String type, Supplier<Buffer> content) {
    ResponseCoding coding = ResponseCoding.of(exchange.header(HttpHeaders.ACCEPT_ENCODING));
    String known = exchange.header(HttpHeaders.IF_NONE_MATCH);
    exchange
        .compute(LARGE, () -> TaggedContent.of(content.get(), known, coding))
        .onComplete(
            tagged -> send(exchange, type, tagged, coding), failure -> fail(exchange, failure));
  }

  private static void send(
      HttpExchange exchange, String type, TaggedContent tagged, ResponseCoding coding) {
    exchange.putHeader(HttpHeaders.ETAG, tagged.tag());
    // The rights of the caller decide what a document has, so no shared cache may keep it.
    exchange.putHeader(HttpHeaders.CACHE_CONTROL, "private, no-cache");
    exchange.putHeader(HttpHeaders.VARY, "accept, accept-encoding, authorization, x-api-key");
    exchange.putHeader("X-Content-Type-Options", "nosniff");
    Buffer body = tagged.body();
    if (body == null) {
      exchange.empty(304);
      return;
    }
    if (coding != ResponseCoding.IDENTITY) {
      exchange.putHeader(HttpHeaders.CONTENT_ENCODING, coding.token());
    }
    exchange.answer(200, type, body);
  }

  private static void fail(HttpExchange exchange, Throwable failure) {
    InferenceException known = exchange.explain(failure);
    refuse(exchange, HttpStatus.of(known.code()), known.getMessage());
  }

  private static void refuse(HttpExchange exchange, int status, String why) {
    exchange.json(status, new JsonObject().put("error", why).toBuffer());
  }
}
