package dev.sluice.protocol.kserve.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.v1.http.Envelope;
import dev.sluice.protocol.v1.http.V1Dialect;
import dev.sluice.protocol.v1.http.V1Report;
import dev.sluice.protocol.v1.http.V1Request;
import dev.sluice.protocol.v1.http.V1Request.Verb;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;

/**
 * KServe's part of {@code /v1}: the list of models, {@code name} and {@code ready}, {@code inputs}
 * as another word for rows, CloudEvents around calls. It has no versions.
 *
 * @param events what answers to CloudEvents say of themselves
 */
public record KserveDialect(EventAttributes events) implements V1Dialect {
  @Override
  public boolean speaks(V1Request request) {
    return switch (request) {
      case V1Request.Index _ -> true;
      case V1Request.Nameless _, V1Request.Metadata _ -> false;
      case V1Request.Status(var model) -> model instanceof ModelSelector.Latest;
      case V1Request.Call(var model, var verb) ->
          verb == Verb.EXPLAIN || (verb == Verb.PREDICT && model instanceof ModelSelector.Latest);
    };
  }

  @Override
  public Inputs inputs() {
    return Inputs.ROWS;
  }

  @Override
  public Optional<Envelope> envelope(HttpExchange exchange, String model) {
    return Optional.of(CloudEvents.envelope(exchange, model, events));
  }

  @Override
  public boolean looksForTheModelFirst() {
    return true;
  }

  @Override
  public boolean takesNoRows() {
    return true;
  }

  @Override
  public boolean takesWholeFloats() {
    return true;
  }

  @Override
  public boolean writesNulls() {
    return true;
  }

  @Override
  public boolean answersEachRow() {
    return true;
  }

  @Override
  public ErrorCode notRows() {
    return ErrorCode.INTERNAL;
  }

  @Override
  public void write(V1Report report, JsonWriter out) {
    switch (report) {
      case V1Report.Models(var names) -> models(names, out);
      case V1Report.Versions versions ->
          out.key("name").string(versions.name()).raw(",\"ready\":").bool(versions.ready());
      case V1Report.Metadata _ -> {}
    }
  }

  private static void models(List<String> names, JsonWriter out) {
    out.raw("\"models\":[");
    for (int i = 0; i < names.size(); i++) {
      if (i > 0) {
        out.raw(',');
      }
      out.string(names.get(i));
    }
    out.raw(']');
  }

  @Override
  public Refusal noSuchRequest(HttpMethod method, String target, Optional<V1Request> path) {
    return path.filter(this::speaks).isPresent()
        ? new Refusal(405, "detail", "Method Not Allowed")
        : new Refusal(404, "detail", "Not Found");
  }

  @Override
  public Optional<InferenceException> refuse(
      ModelSelector asked, Optional<V1Report.Versions> found) {
    if (found.isEmpty()) {
      return Optional.of(unknown(asked.name()));
    }
    if (found.get().problem().isPresent()) {
      String why = found.get().problem().get().reason();
      return Optional.of(
          new InferenceException(
              ErrorCode.UNAVAILABLE, notReady(asked.name()) + " It is out of service: " + why));
    }
    // Clients compare this one whole; what is asked to predict says more.
    return found.get().ready()
        ? Optional.empty()
        : Optional.of(InferenceException.starting(notReady(asked.name())));
  }

  @Override
  public InferenceException refuse(ModelSelector asked, ModelLookup.Missed missed) {
    return switch (missed) {
      case ModelLookup.UnknownModel _, ModelLookup.UnknownVersion _, ModelLookup.UnknownLabel _ ->
          unknown(asked.name());
      case ModelLookup.NotReady miss -> miss.unavailable(notReady(miss.name()) + detail(miss));
    };
  }

  private static InferenceException unknown(String name) {
    return new InferenceException(
        ErrorCode.NOT_FOUND, "Model with name " + name + " does not exist.");
  }

  private static String notReady(String name) {
    return "Model with name " + name + " is not ready.";
  }

  private static String detail(ModelLookup.NotReady miss) {
    return " It is " + miss.state() + (miss.reason().isEmpty() ? "." : ": " + miss.reason());
  }

  @Override
  public InferenceException refuse(JsonException wrong, boolean emptyBody) {
    return InferenceException.invalid(
        "Unrecognized request format: " + wrong.error().text() + " at offset: " + wrong.offset());
  }

  @Override
  public InferenceException refuseNoList(String key, String document) {
    return InferenceException.invalid("Expected \"" + key + "\" to be a list");
  }
}
