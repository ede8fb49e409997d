package dev.sluice.transport.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.PluginHttpCall;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request whose answer is written by a model's plugin.
 *
 * <p>Zero-copy where the body is an array of its own; chunks of the answer are written with
 * backpressure.
 */
public final class PluginHttpExchange implements PluginHttpCall {
  private static final String CONTENT_TYPE = "content-type";
  private static final String BYTES = "application/octet-stream";
  private static final String TEXT = "text/plain; charset=utf-8";

  private final HttpExchange http;
  private final Head head;
  private final byte[] body;
  private final String chunkType;
  private @Nullable String contentType;
  private @Nullable ChunkedResponse chunks;

  /**
   * @param body that no other code uses any more
   * @param streaming whether the request asks for a stream
   * @param chunkType the type of an answer in chunks that says none itself
   */
  public PluginHttpExchange(HttpExchange http, Body body, boolean streaming, String chunkType) {
    this.http = http;
    this.chunkType = streaming ? chunkType : BYTES;
    this.head = new Head(http.method().name(), http.path(), http.query(), headers(http), streaming);
    this.body = bytes(http, body);
  }

  private static Map<String, List<String>> headers(HttpExchange http) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    http.headers()
        .forEach((name, value) ->
            headers
                .computeIfAbsent(name.toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                .add(value));
    return headers;
  }

  /**
   * Returns the bytes for the model's plugin, in an array of its own; a copy only if it has to be
   * one.
   */
  private static byte[] bytes(HttpExchange http, Body body) {
    if (body.offset() == 0 && body.length() == body.bytes().length) {
      return body.bytes();
    }
    http.holdBody(body.length());
    byte[] bytes = new byte[body.length()];
    System.arraycopy(body.bytes(), body.offset(), bytes, 0, bytes.length);
    return bytes;
  }

  @Override
  public Head head() {
    return head;
  }

  @Override
  public byte[] body() {
    return body;
  }

  @Override
  public Deadline deadline() {
    return http.deadline();
  }

  @Override
  public void onCancel(Runnable action) {
    http.onCancel(action);
  }

  @Override
  public void header(String name, String value) {
    if (name.equalsIgnoreCase(CONTENT_TYPE)) {
      contentType = value;
    } else {
      http.putHeader(name, value);
    }
  }

  @Override
  public void answer(int status, byte[] whole) {
    http.answer(status, whole.length == 0 ? typeOfNothing() : type(), Buffer.buffer(whole));
  }

  private String type() {
    return contentType == null ? chunkType : contentType;
  }

  /** Code that says nothing answers with the type of the request, as under grps' native server. */
  private String typeOfNothing() {
    String asked = http.header(CONTENT_TYPE);
    return contentType == null && asked != null ? asked : type();
  }

  @Override
  public void begin(int status) {
    chunks = http.chunked(status, type());
  }

  @Override
  public boolean isWriteQueueFull() {
    return chunks != null && chunks.isWriteQueueFull();
  }

  @Override
  public void onWritable(Runnable action) {
    if (chunks != null) {
      chunks.onWritable(action);
    }
  }

  @Override
  public void write(byte[] chunk) {
    if (chunks != null) {
      chunks.write(Buffer.buffer(chunk));
    }
  }

  @Override
  public void end() {
    if (chunks != null) {
      chunks.end();
    }
  }

  @Override
  public void fail(InferenceException failure) {
    InferenceException reported = http.explain(failure);
    byte[] text = reported.getMessage().getBytes(UTF_8);
    if (chunks == null) {
      http.answer(HttpStatus.of(reported.code()), TEXT, Buffer.buffer(text));
    } else {
      write(text);
      end();
    }
  }
}
