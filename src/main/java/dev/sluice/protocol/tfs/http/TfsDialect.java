package dev.sluice.protocol.tfs.http;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonError;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.tfs.ExampleTask;
import dev.sluice.protocol.tfs.ExamplesMessages;
import dev.sluice.protocol.tfs.MethodNames;
import dev.sluice.protocol.tfs.PredictMessages;
import dev.sluice.protocol.tfs.lookup.ServableErrors;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.protocol.v1.http.V1Dialect;
import dev.sluice.protocol.v1.http.V1Report;
import dev.sluice.protocol.v1.http.V1Request;
import dev.sluice.protocol.v1.http.V1Request.Verb;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.connection.MalformedRequest;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * TensorFlow Serving's part of {@code /v1}, in the words of its REST form: versions and labels,
 * model status, metadata, columns.
 */
public final class TfsDialect implements V1Dialect {
  /** Largest context: as much as a body may have by default. */
  private static final long MOST_CONTEXT = 64L << 20;

  /** Not below the prefix, but the prefix itself, which is an unknown path like others. */
  private static final Pattern PREFIX = Pattern.compile("(?i)/v1(?:\\?.*)?");

  private static final String EMPTY = "JSON Parse error: The document is empty";

  private final long mostContext;
  private final @Nullable RequestLogs logs;

  public TfsDialect() {
    this.mostContext = MOST_CONTEXT;
    this.logs = null;
  }

  /**
   * @param mostContext bytes that the context of a classify or regress request may take in all its
   *     examples together: a small body can ask for any amount
   * @param logs keep calls
   */
  public TfsDialect(long mostContext, RequestLogs logs) {
    this.mostContext = mostContext;
    this.logs = logs;
  }

  @Override
  public boolean speaks(V1Request request) {
    return switch (request) {
      case V1Request.Index _, V1Request.Nameless _ -> false;
      case V1Request.Status _, V1Request.Metadata _ -> true;
      case V1Request.Call(_, var verb) -> verb != Verb.EXPLAIN;
    };
  }

  @Override
  public Inputs inputs() {
    return Inputs.COLUMNS;
  }

  @Override
  public Future<Buffer> call(
      HttpExchange exchange, ModelSelector model, Verb verb, DataPlane data) {
    ExampleTask task = verb == Verb.CLASSIFY ? ExampleTask.CLASSIFY : ExampleTask.REGRESS;
    return new ExamplesCall(data, this, task, mostContext).answer(exchange, exchange.body(), model);
  }

  @Override
  public void write(V1Report report, JsonWriter out) {
    switch (report) {
      case V1Report.Models _ -> {}
      case V1Report.Versions versions -> StatusJson.write(versions.versions(), out);
      case V1Report.Metadata(var id, var model) -> TfsMetadataJson.write(id, model, out);
    }
  }

  @Override
  public Refusal noSuchRequest(HttpMethod method, String target, Optional<V1Request> path) {
    if (PREFIX.matcher(target).matches()) {
      return new Refusal(404, "Not Found");
    }
    boolean nameless =
        path.filter(request -> request instanceof V1Request.Index || isNameless(request))
            .isPresent();
    return nameless && method.equals(HttpMethod.GET)
        ? new Refusal(400, "Missing model name in request.")
        : new Refusal(400, "Malformed request: " + method + " " + target);
  }

  private static boolean isNameless(V1Request request) {
    return request instanceof V1Request.Nameless;
  }

  @Override
  public Optional<InferenceException> refuse(
      ModelSelector asked, Optional<V1Report.Versions> found) {
    return found.filter(report -> !report.versions().isEmpty()).isPresent()
        ? Optional.empty()
        : Optional.of(ServableErrors.noStatus(asked, found.flatMap(V1Report.Versions::absence)));
  }

  @Override
  public InferenceException refuse(ModelSelector asked, ModelLookup.Missed missed) {
    return ServableErrors.refuse(asked, missed);
  }

  @Override
  public boolean answersPreflights() {
    return true;
  }

  /**
   * Of the types that are read and written here, 16 bits without a sign are the one that TensorFlow
   * Serving refuses in JSON. For other formats it has no rule.
   */
  @Override
  public boolean carries(TensorSpec tensor) {
    boolean refused = tensor.type() == DataType.UINT16 && TensorflowTypeNames.isTensorflow(tensor);
    return tensor.type().isCommon() && !refused;
  }

  @Override
  public @Nullable Consumer<InferenceResponse> keep(InferenceRequest request) {
    RequestLogs.Entry entry =
        logs == null
            ? null
            : logs.begin(
                RequestLogs.Kind.PREDICT,
                request.model().id().name(),
                () -> PredictMessages.of(request));
    return entry == null ? null : response -> entry.answered(PredictMessages.of(response));
  }

  /** Begins to keep a classify or regress call; null if this one is not kept. */
  RequestLogs.@Nullable Entry keep(
      ExampleTask task, ModelId model, ExamplesDocument.Examples read) {
    return logs == null
        ? null
        : logs.begin(
            task == ExampleTask.CLASSIFY ? RequestLogs.Kind.CLASSIFY : RequestLogs.Kind.REGRESS,
            model.name(),
            () -> ExamplesMessages.request(model, read.signature(), read.examples()));
  }

  @Override
  public void requirePredict(ModelMetadata model, Signature signature) {
    MethodNames.requirePredict(model, signature);
  }

  /** Returns the error for a body that cannot be inflated: the one for an empty body. */
  @Override
  public Throwable refuse(Throwable unread) {
    boolean arrived = !(unread.getCause() instanceof MalformedRequest);
    return arrived && ErrorCode.of(unread) == ErrorCode.INVALID_ARGUMENT
        ? InferenceException.invalid(EMPTY)
        : unread;
  }

  @Override
  public InferenceException refuse(JsonException wrong, boolean emptyBody) {
    if (emptyBody && wrong.error() == JsonError.EMPTY) {
      return InferenceException.invalid(EMPTY);
    }
    return InferenceException.invalid(
        "JSON Parse error: " + wrong.error().text() + " at offset: " + wrong.offset());
  }

  @Override
  public InferenceException refuseNoList(String key, String document) {
    return InferenceException.invalid(
        "JSON Value: " + document + " Expecting '" + key + "' to be an list/array");
  }
}
