package dev.sluice.protocol.v1.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.inference.explain.Explainer;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.http.Cors;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.HttpStatus;
import dev.sluice.transport.http.PathCache;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The owner of {@code /v1} and {@code /}: reads the path, and asks the mounted dialects for their
 * parts of the answer.
 *
 * <p>Stateless but for its parts; may be mounted on any number of event loops.
 */
public final class V1Routes implements HttpProtocolHandler {
  private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized("x-request-id");

  private static final int METHOD_NOT_ALLOWED = 405;

  private final PathCache<Optional<V1Request>> paths = new PathCache<>(V1Grammar::read);
  private final DataPlane data;
  private final ControlPlane control;
  private final List<V1Dialect> dialects;
  private final List<V1Reporter> reporters;
  private final Predict predict;
  private final Explain explain;

  /**
   * @param dialects those of this listener, at least one; the first has the word where only one can
   * @param others protocols that have a part in reports alone
   */
  public V1Routes(
      DataPlane data,
      ControlPlane control,
      Explainer explainer,
      List<V1Dialect> dialects,
      List<V1Reporter> others) {
    this.data = data;
    this.control = control;
    this.dialects = List.copyOf(dialects);
    this.reporters = Stream.concat(dialects.stream(), others.stream()).toList();
    this.predict = new Predict(data, this.dialects);
    // The parameters of an explain request are for the explanation.
    this.explain = new Explain(predict.withoutParameters(), data, explainer, this.dialects);
  }

  @Override
  public void mount(HttpRoutes routes) {
    routes.claim("/v1", new V1Operations(paths, this::isSpoken), this::answer);
  }

  private void answer(HttpExchange exchange) {
    if (exchange.method().equals(HttpMethod.OPTIONS) && lead().answersPreflights()) {
      Cors.answerPreflight(exchange);
      return;
    }
    try {
      Optional<V1Request> path = paths.read(exchange.path());
      Optional<V1Request> handlers =
          path.filter(request -> request.method().equals(exchange.method()) && isSpoken(request));
      if (handlers.isPresent()) {
        handlers.get().requireFor(exchange);
        answer(exchange, handlers.get());
      } else {
        refuse(exchange, path);
      }
    } catch (InferenceException e) {
      fail(exchange, e);
    }
  }

  private void refuse(HttpExchange exchange, Optional<V1Request> path) {
    V1Dialect.Refusal refusal = lead().noSuchRequest(exchange.method(), exchange.target(), path);
    if (refusal.status() == METHOD_NOT_ALLOWED) {
      path.ifPresent(request -> exchange.putHeader(HttpHeaders.ALLOW, request.method().name()));
    }
    refuse(exchange, refusal);
  }

  private boolean isSpoken(V1Request request) {
    return reporters.stream().anyMatch(reporter -> reporter.speaks(request));
  }

  /**
   * Returns the first dialect that has such a request, which {@link #isSpoken} found to be there.
   */
  private V1Dialect speaker(V1Request request) {
    return dialects.stream().filter(dialect -> dialect.speaks(request)).findFirst().orElseThrow();
  }

  private V1Dialect lead() {
    return dialects.getFirst();
  }

  private void answer(HttpExchange exchange, V1Request request) {
    switch (request) {
      case V1Request.Index _ -> report(exchange, request, new V1Report.Models(visible(exchange)));
      case V1Request.Status(var model) -> {
        exchange.measure(Api.V1_MODEL, model.name());
        report(exchange, request, versions(model));
      }
      case V1Request.Metadata(var model) -> {
        exchange.measure(Api.V1_MODEL, model.name());
        metadata(exchange, request, model);
      }
      case V1Request.Call(var model, var verb) -> call(exchange, model, verb);
      case V1Request.Nameless _ -> throw new IllegalStateException("no dialect speaks this");
    }
  }

  private List<String> visible(HttpExchange exchange) {
    return control.models(exchange.caller(), Operation.REPOSITORY_INDEX);
  }

  private void report(HttpExchange exchange, V1Request request, V1Report report) {
    var out = new JsonWriter(256).raw('{');
    int empty = out.size();
    for (V1Reporter reporter : reporters) {
      if (reporter.speaks(request)) {
        if (out.size() > empty) {
          out.raw(',');
        }
        reporter.write(report, out);
      }
    }
    exchange.json(200, out.raw('}').toBuffer());
  }

  private V1Report.Versions versions(ModelSelector model) {
    Optional<V1Report.Versions> found =
        switch (model) {
          case ModelSelector.Latest(var name) ->
              versions(name, _ -> true, () -> control.problem(model));
          case ModelSelector.Version(var name, var number) -> version(name, number);
          case ModelSelector.Label(var name, var label) -> {
            OptionalLong number = labelled(name, label);
            yield number.isPresent() ? version(name, number.getAsLong()) : Optional.empty();
          }
        };
    Optional<InferenceException> refusal = lead().refuse(model, found);
    if (refusal.isPresent()) {
      throw refusal.get();
    }
    return found.orElseThrow();
  }

  private OptionalLong labelled(String name, String label) {
    Long number = control.labels(name).get(label);
    return number == null ? OptionalLong.empty() : OptionalLong.of(number);
  }

  private Optional<V1Report.Versions> version(String name, long number) {
    return versions(name, status -> status.version() == number, Optional::empty);
  }

  /** Returns those of a model's versions that are wanted; empty if there is no such model. */
  private Optional<V1Report.Versions> versions(
      String name, Predicate<VersionStatus> wanted, Supplier<Optional<ModelProblem>> problem) {
    return control
        .versions(name)
        .map(all ->
            new V1Report.Versions(
                name, all.stream().filter(wanted).toList(), problem.get(), control.absence(name)));
  }

  private void metadata(HttpExchange exchange, V1Request request, ModelSelector selector) {
    switch (data.find(selector, exchange.caller(), Operation.MODEL_METADATA)) {
      case ModelLookup.Found(ModelLease found) ->
          report(
              exchange,
              request,
              found.read(model -> new V1Report.Metadata(model.id(), model.metadata())));
      case ModelLookup.Missed missed -> throw lead().refuse(selector, missed);
    }
  }

  private void call(HttpExchange exchange, ModelSelector selector, V1Request.Verb verb) {
    exchange.measure(api(verb), selector.name());
    switch (verb) {
      case PREDICT -> reply(exchange, selector, predict::answer);
      case EXPLAIN -> reply(exchange, selector, explain::answer);
      case CLASSIFY, REGRESS ->
          speaker(new V1Request.Call(selector, verb))
              .call(exchange, selector, verb, data)
              .onComplete(body -> exchange.json(200, body), failure -> fail(exchange, failure));
    }
  }

  private static Api api(V1Request.Verb verb) {
    return switch (verb) {
      case PREDICT -> Api.V1_PREDICT;
      case EXPLAIN -> Api.V1_EXPLAIN;
      case CLASSIFY -> Api.V1_CLASSIFY;
      case REGRESS -> Api.V1_REGRESS;
    };
  }

  /** Finds the answer to a call, later. */
  @FunctionalInterface
  private interface Answering {
    /** Answers one call; the future completes on the request's event loop. */
    Future<Buffer> answer(HttpExchange exchange, ModelSelector selector, Envelope envelope);
  }

  private void reply(HttpExchange exchange, ModelSelector selector, Answering verb) {
    Envelope envelope = envelope(exchange, selector.name());
    nameAlike(exchange);
    verb.answer(exchange, selector, envelope)
        .onComplete(body -> envelope.answer(exchange, body), failure -> fail(exchange, failure));
  }

  /** Copies the caller's request id to the answer. */
  private static void nameAlike(HttpExchange exchange) {
    if (exchange.header(REQUEST_ID) != null) {
      exchange.putHeader(REQUEST_ID, exchange.requestId());
    }
  }

  private Envelope envelope(HttpExchange exchange, String model) {
    for (V1Dialect dialect : dialects) {
      Optional<Envelope> envelope = dialect.envelope(exchange, model);
      if (envelope.isPresent()) {
        return envelope.get();
      }
    }
    return Envelope.NONE;
  }

  private static void fail(HttpExchange exchange, Throwable failure) {
    InferenceException known = exchange.explain(failure);
    refuse(exchange, new V1Dialect.Refusal(HttpStatus.of(known.code()), known.getMessage()));
  }

  private static void refuse(HttpExchange exchange, V1Dialect.Refusal refusal) {
    var out = new JsonWriter(refusal.text().length() + 16);
    out.raw('{').key(refusal.key()).string(refusal.text()).raw('}');
    exchange.json(refusal.status(), out.toBuffer());
  }
}
