package dev.sluice.ops.openapi;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** A document: one for each protocol, and one for the operations of the server. */
enum OpenApiDocument {
  V1("TensorFlow Serving REST and KServe V1"),
  V2("Open Inference Protocol V2"),
  OPENAI("OpenAI"),
  GRPS("grps HTTP"),
  SERVER("Operations of the server");

  private final String title;

  OpenApiDocument(String title) {
    this.title = title;
  }

  /** Returns those of a listener. */
  static List<OpenApiDocument> of(DescribedListener listener) {
    return Arrays.stream(values()).filter(document -> document.isOf(listener)).toList();
  }

  private boolean isOf(DescribedListener listener) {
    return switch (this) {
      case V1 -> listener.carries(ApiPart.TFS) || listener.carries(ApiPart.KSERVE);
      case V2 -> listener.carries(ApiPart.OIP);
      case OPENAI -> listener.carries(ApiPart.OPENAI);
      case GRPS -> listener.carries(ApiPart.GRPS);
      case SERVER -> true;
    };
  }

  /** Returns its name in paths. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  String title() {
    return title;
  }

  /** Returns its template, anew. */
  JsonObject template() {
    return template(key());
  }

  /** Returns what all documents have, anew. */
  static JsonObject common() {
    return template("common");
  }

  private static JsonObject template(String name) {
    String file = name + ".json";
    try (InputStream json = OpenApiDocument.class.getResourceAsStream(file)) {
      byte[] bytes = Objects.requireNonNull(json, file).readAllBytes();
      return new JsonObject(new String(bytes, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
