package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * One request and what its answer must be, from a file of {@code conformance}. A case says one of:
 * {@code expect}, the answer as JSON, numbers by value; {@code holds}, JSON that the answer has
 * among other members; {@code text}, the answer byte for byte; {@code lines} that are among those
 * of the answer; {@code error} or {@code error_starts}, the text under {@code error}; {@code
 * empty}, nothing. It may have {@code headers} to send, {@code gzip} if the body is to be
 * compressed, and {@code answer_headers}, null for one that must not be there, {@code *} for any
 * value; {@code type}, if the content type is another than plain JSON's.
 */
public record ConformanceCase(String group, JsonNode data) {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  /** All cases of a file, such as {@code tfs/rows}. */
  public static List<ConformanceCase> of(String file) {
    String resource = "/conformance/" + file + ".json";
    try (InputStream in = ConformanceCase.class.getResourceAsStream(resource)) {
      var cases = new ArrayList<ConformanceCase>();
      for (JsonNode data : JSON.readTree(Objects.requireNonNull(in, resource))) {
        cases.add(new ConformanceCase(file, data));
      }
      return cases;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends the request and checks the answer. */
  public void replay(HttpCaller caller) {
    HttpCaller.Answer answer = caller.send(text("method"), text("path"), headers(), body());
    assertThat(answer.status()).as(answer.text()).isEqualTo(data.get("status").intValue());
    data.path("answer_headers")
        .propertyStream()
        .forEach(header ->
            checkHeader(
                header.getKey(),
                answer.headers().get(header.getKey()),
                header.getValue().textValue()));
    if (data.path("empty").booleanValue()) {
      assertThat(answer.text()).isEmpty();
    } else {
      assertThat(answer.contentType()).isEqualTo(data.path("type").asText("application/json"));
      check(answer.text());
    }
  }

  private static void checkHeader(String name, @Nullable String actual, @Nullable String expected) {
    if ("*".equals(expected)) {
      assertThat(actual).as(name).isNotEmpty();
    } else {
      assertThat(actual).as(name).isEqualTo(expected);
    }
  }

  private MultiMap headers() {
    var headers = MultiMap.caseInsensitiveMultiMap();
    data.path("headers")
        .propertyStream()
        .forEach(header -> headers.add(header.getKey(), header.getValue().asText()));
    return headers;
  }

  private Buffer body() {
    byte[] body = data.path("body").asText("").getBytes(StandardCharsets.UTF_8);
    return Buffer.buffer(data.path("gzip").booleanValue() ? gzip(body) : body);
  }

  private static byte[] gzip(byte[] body) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) {
      out.write(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private void check(String answer) {
    if (data.has("text")) {
      assertThat(answer).isEqualTo(text("text"));
    } else if (data.has("lines")) {
      assertThat(answer.lines()).containsAll(lines());
    } else if (data.has("error")) {
      assertThat(error(answer)).isEqualTo(text("error"));
    } else if (data.has("error_starts")) {
      assertThat(error(answer)).startsWith(text("error_starts"));
    } else if (data.has("holds")) {
      assertThat(holds(parse(answer), data.get("holds"))).as(answer).isTrue();
    } else {
      assertThat(same(parse(answer), data.get("expect"))).as(answer).isTrue();
    }
  }

  private List<String> lines() {
    return data.get("lines").valueStream().map(JsonNode::textValue).toList();
  }

  private static String error(String answer) {
    JsonNode parsed = parse(answer);
    assertThat(parsed.size()).isEqualTo(1);
    return parsed.path("error").asText();
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new AssertionError("no JSON: " + text, e);
    }
  }

  private static boolean same(JsonNode actual, JsonNode expected) {
    if (expected.isNumber() && actual.isNumber()) {
      return actual.decimalValue().compareTo(expected.decimalValue()) == 0;
    }
    if (!expected.isContainerNode()) {
      return actual.equals(expected);
    }
    return actual.size() == expected.size() && holds(actual, expected);
  }

  private static boolean holds(JsonNode actual, JsonNode expected) {
    if (expected.isArray()) {
      return actual.isArray() && sameElements(actual, expected);
    }
    if (!expected.isObject()) {
      return same(actual, expected);
    }
    return expected.propertyStream().allMatch(member -> sameMember(actual, member));
  }

  private static boolean sameMember(JsonNode actual, Map.Entry<String, JsonNode> expected) {
    return actual.has(expected.getKey())
        && holds(actual.get(expected.getKey()), expected.getValue());
  }

  private static boolean sameElements(JsonNode actual, JsonNode expected) {
    for (int i = 0; i < expected.size(); i++) {
      if (!actual.has(i) || !same(actual.get(i), expected.get(i))) {
        return false;
      }
    }
    return actual.size() == expected.size();
  }

  private String text(String member) {
    return data.get(member).asText();
  }

  /** As test reports show it. */
  @Override
  public String toString() {
    return text("id") + ": " + text("shows");
  }
}
