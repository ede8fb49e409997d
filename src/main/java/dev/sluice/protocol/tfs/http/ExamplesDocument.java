package dev.sluice.protocol.tfs.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.v1.http.element.JsonDump;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/**
 * Reads a body of examples. The usual kind, with nothing wrong, in one pass; all others are first
 * checked as a whole, so that of several mistakes the same one is reported as by TensorFlow
 * Serving. The first of several members of one name counts; unknown ones are ignored.
 */
final class ExamplesDocument {
  /**
   * The content of a body.
   *
   * @param signature the name of the signature; empty if none is given
   * @param examples a BYTES vector of serialised examples, owned by the caller
   */
  record Examples(String signature, Tensor examples) {}

  private static final int ABSENT = -1;

  private final Body body;
  private final long mostContext;
  private final JsonCursor in;
  private final ExampleWriter writer;
  private int start;
  private int signature = ABSENT;
  private int context = ABSENT;
  private int examples = ABSENT;

  private ExamplesDocument(Body body, long mostContext) {
    this.body = body;
    this.mostContext = mostContext;
    this.in = new JsonCursor(body);
    this.writer = new ExampleWriter(in);
  }

  /**
   * Reads a body.
   *
   * @param mostContext bytes that the context may take in all examples together
   * @throws JsonException if it is not JSON
   * @throws InferenceException with INVALID_ARGUMENT if it holds no examples
   */
  static Examples read(Body body, long mostContext) {
    @Nullable Examples plain = new ExamplesDocument(body, mostContext).plain();
    return plain == null ? new ExamplesDocument(body, mostContext).careful() : plain;
  }

  private @Nullable Examples plain() {
    try (var out = new TensorBuilder(DataType.BYTES, body.length())) {
      if (in.peek() != Kind.OBJECT) {
        return null;
      }
      String name = "";
      boolean some = false;
      in.beginObject();
      while (in.nextKey()) {
        if (signature < 0 && in.keyIs("signature_name")) {
          signature = in.position();
          name = text();
        } else if (context < 0 && !some && in.keyIs("context")) {
          context = in.position();
          writer.readContext();
        } else if (!some && in.keyIs("examples") && in.peek() == Kind.ARRAY) {
          some = true;
          list(out);
        } else if (in.keyIs("context") || (!some && in.keyIs("examples"))) {
          return null;
        } else {
          in.skipValue();
        }
      }
      in.finish();
      return some && out.elements() > 0 ? new Examples(name, build(out)) : null;
    } catch (JsonException | InferenceException wrong) {
      return null;
    }
  }

  private String text() {
    if (in.peek() != Kind.STRING) {
      throw InferenceException.invalid("no text");
    }
    return in.string().toText();
  }

  private Examples careful() {
    find();
    String name = signatureName();
    if (context >= 0) {
      in.seek(context);
      writer.readContext();
    }
    if (examples < 0) {
      throw wrong("When method is classify, key 'examples' is expected and was not found");
    }
    in.seek(examples);
    if (in.peek() != Kind.ARRAY) {
      throw wrong("Expecting 'examples' value to be an list/array");
    }
    try (var out = new TensorBuilder(DataType.BYTES, body.length())) {
      list(out);
      if (out.elements() == 0) {
        throw wrong("'examples' value is an empty array");
      }
      return new Examples(name, build(out));
    }
  }

  /** Checks that the body is JSON, and where its members are. */
  private void find() {
    boolean isObject = in.peek() == Kind.OBJECT;
    start = in.position();
    if (!isObject) {
      in.skipValue();
      in.finish();
      throw wrong("Is not object");
    }
    in.beginObject();
    while (in.nextKey()) {
      if (signature < 0 && in.keyIs("signature_name")) {
        signature = in.position();
      } else if (context < 0 && in.keyIs("context")) {
        context = in.position();
      } else if (examples < 0 && in.keyIs("examples")) {
        examples = in.position();
      }
      in.skipValue();
    }
    in.finish();
  }

  private String signatureName() {
    if (signature < 0) {
      return "";
    }
    in.seek(signature);
    if (in.peek() != Kind.STRING) {
      throw wrong("not formatted correctly. 'signature_name' key must be a string value.");
    }
    return in.string().toText();
  }

  private void list(TensorBuilder out) {
    in.beginArray();
    while (in.nextElement()) {
      writer.readExample(out);
      if (out.elements() * writer.contextSize() > mostContext) {
        throw InferenceException.invalid(
            "the context of %d bytes is repeated in more than %d examples, at most %d bytes may be"
                .formatted(writer.contextSize(), out.elements() - 1, mostContext));
      }
    }
  }

  private static Tensor build(TensorBuilder out) {
    return out.build(Shape.of(out.elements()));
  }

  private InferenceException wrong(String what) {
    return InferenceException.invalid("JSON Value: " + JsonDump.of(body, start) + " " + what);
  }
}
