package dev.sluice.boot.inferencelog;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.boot.log.CountedWrites;
import dev.sluice.boot.log.LogQueue;
import dev.sluice.boot.log.TextLayout;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Sends each call as two CloudEvents in the binary mode of HTTP, as KServe's logger does ({@code
 * pkg/logger} of KServe): a request and a response in V2's JSON with the same {@code ce-id}. A
 * stream has one response event for each response. Of the writer's thread, which waits for each
 * answer.
 */
final class CloudEventSink implements LogQueue.Sink<RecordedCall> {
  private static final JsonFactory JSON = new JsonFactory();
  private static final String REQUEST = "org.kubeflow.serving.inference.request";
  private static final String RESPONSE = "org.kubeflow.serving.inference.response";
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int FIRST_GOOD = 200;
  private static final int FIRST_BAD = 300;

  private final HttpClient client;
  private final URI url;
  private final CountedWrites writes;

  CloudEventSink(Vertx vertx, URI url, CountedWrites writes) {
    this.client = vertx.createHttpClient(new HttpClientOptions().setConnectTimeout(TIMEOUT_MILLIS));
    this.url = url;
    this.writes = writes;
  }

  @Override
  public void write(RecordedCall call) {
    writes.attempt(
        1,
        () -> {
          send(call, REQUEST, request(call));
          for (List<RecordedTensor> response : call.responses()) {
            send(call, RESPONSE, response(call, response));
          }
          if (call.error() != null) {
            send(call, RESPONSE, failure(call));
          }
        });
  }

  private void send(RecordedCall call, String type, byte[] body) throws IOException {
    var options = new RequestOptions().setMethod(HttpMethod.POST).setAbsoluteURI(url.toString());
    options
        .putHeader("Content-Type", "application/json")
        .putHeader("ce-specversion", "1.0")
        .putHeader("ce-id", header(call.requestId()))
        .putHeader("ce-type", type)
        .putHeader("ce-source", header(source(call)))
        .putHeader("ce-time", TextLayout.TIME.format(Instant.ofEpochMilli(call.beganMillis())))
        .putHeader("ce-inferenceservicename", header(call.model().name()))
        .putHeader("ce-endpoint", Long.toString(call.model().version()))
        .putHeader("ce-component", "predictor");
    try {
      int status =
          client
              .request(options)
              .compose(request -> exchange(request, body))
              .toCompletionStage()
              .toCompletableFuture()
              .join();
      if (status < FIRST_GOOD || status >= FIRST_BAD) {
        throw new IOException(url + " answers with status " + status);
      }
    } catch (CompletionException e) {
      throw new IOException(url + ": " + e.getCause(), e);
    }
  }

  /**
   * Returns the status of the answer, whose body is passed over. All on the connection's event
   * loop: an answer that ends before this thread listens to it would never end. One that does not
   * come is given up, or it would hold its connection.
   */
  private static Future<Integer> exchange(HttpClientRequest request, byte[] body) {
    return request
        .send(Buffer.buffer(body))
        .compose(response -> response.end().map(_ -> response.statusCode()))
        .timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .onFailure(_ -> request.reset());
  }

  private static String source(RecordedCall call) {
    return "/v2/models/" + call.model().name() + "/versions/" + call.model().version();
  }

  /** Percent-encodes what an attribute may not hold in a header (CloudEvents, HTTP binding 3.1). */
  private static String header(String value) {
    var encoded = new StringBuilder();
    for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
      if (b > ' ' && b < 0x7f && b != '"' && b != '%') {
        encoded.append((char) b);
      } else {
        encoded.append(String.format(Locale.ROOT, "%%%02X", b));
      }
    }
    return encoded.toString();
  }

  private static byte[] request(RecordedCall call) throws IOException {
    var body = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(body)) {
      json.writeStartObject();
      json.writeStringField("id", call.requestId());
      json.writeFieldName("inputs");
      TensorJson.write(call.inputs(), json);
      json.writeEndObject();
    }
    return body.toByteArray();
  }

  private static byte[] response(RecordedCall call, List<RecordedTensor> outputs)
      throws IOException {
    var body = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(body)) {
      json.writeStartObject();
      json.writeStringField("model_name", call.model().name());
      json.writeStringField("model_version", Long.toString(call.model().version()));
      json.writeStringField("id", call.requestId());
      json.writeFieldName("outputs");
      TensorJson.write(outputs, json);
      json.writeEndObject();
    }
    return body.toByteArray();
  }

  private static byte[] failure(RecordedCall call) throws IOException {
    var body = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(body)) {
      json.writeStartObject();
      json.writeStringField("error", call.message());
      json.writeEndObject();
    }
    return body.toByteArray();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    client.close();
  }
}
