package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.ModelLoad;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonString;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.LoadParameters;
import dev.sluice.protocol.oip.http.json.JsonFields;
import dev.sluice.transport.Body;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.function.Consumer;

/** Reads the bodies of {@link RepositoryRoutes}. An empty body asks for nothing in particular. */
final class RepositoryBodies {
  private RepositoryBodies() {}

  /**
   * Returns the load that a body asks for; an empty one asks for the model as it lies in its
   * folder.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is none
   */
  static ModelLoad load(String model, Body body) {
    var load = new LoadParameters();
    readParameters(
        body,
        in -> {
          String name = in.key();
          switch (LoadParameters.kind(name)) {
            case CONFIG -> load.setConfig(JsonFields.string(in, name));
            case FILE -> load.addFile(name, content(name, in));
          }
        });
    return load.of(model);
  }

  private static byte[] content(String name, JsonCursor in) {
    JsonString text = JsonFields.bytes(in, name);
    try {
      ByteBuffer base64 = ByteBuffer.wrap(text.bytes(), text.offset(), text.length());
      ByteBuffer content = Base64.getDecoder().decode(base64);
      byte[] bytes = new byte[content.remaining()];
      content.get(bytes);
      return bytes;
    } catch (IllegalArgumentException e) {
      throw InferenceException.invalid(
          "parameter '" + Excerpt.of(name) + "' is no base64: " + e.getMessage());
    }
  }

  /**
   * Returns whether the models are to be unloaded too that the named one is composed of.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the body does not say so as it should
   */
  static boolean dependents(Body body) {
    boolean[] dependents = {false};
    readParameters(
        body,
        in -> {
          String name = in.key();
          if (!name.equals(LoadParameters.DEPENDENTS)) {
            throw LoadParameters.unknown("unload", name);
          }
          dependents[0] = JsonFields.bool(in, name);
        });
    return dependents[0];
  }

  /** Reads what a request says beside its path; other members of its body have no meaning. */
  private static void readParameters(Body body, Consumer<JsonCursor> parameter) {
    readMembers(
        body,
        in -> {
          if (!in.keyIs("parameters")) {
            in.skipValue();
          } else if (!JsonFields.isNull(in)) {
            JsonFields.beginObject(in, "parameters");
            while (in.nextKey()) {
              parameter.accept(in);
            }
          }
        });
  }

  private static void readMembers(Body body, Consumer<JsonCursor> member) {
    if (body.length() == 0) {
      return;
    }
    try {
      var in = new JsonCursor(body);
      JsonFields.beginObject(in, "request");
      while (in.nextKey()) {
        member.accept(in);
      }
      in.finish();
    } catch (JsonException e) {
      throw JsonFields.malformed(e);
    }
  }

  /**
   * Returns whether only models that are ready are to be listed.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the body does not say so as it should
   */
  static boolean onlyReady(Body body) {
    boolean[] ready = {false};
    readMembers(
        body,
        in -> {
          if (in.keyIs("ready")) {
            ready[0] = readyFilter(in);
          } else {
            in.skipValue();
          }
        });
    return ready[0];
  }

  private static boolean readyFilter(JsonCursor in) {
    return switch (in.peek()) {
      case TRUE, FALSE -> in.bool();
      case OBJECT, ARRAY, STRING, NUMBER, NULL ->
          throw InferenceException.invalid(
              "Invalid value for 'ready': expected a boolean, got " + JsonFields.excerpt(in));
    };
  }
}
