package dev.sluice.protocol.v1.http;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonParameterValue;
import dev.sluice.protocol.v1.http.element.JsonDump;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads the {@code parameters} of a predict request, beside its {@code instances} or {@code
 * inputs}, for a model that heeds any. For other models the member is one of those that are
 * ignored. What the body has was checked to be JSON before.
 */
final class PredictParameters {
  /** As many as under the Open Inference Protocol: more than any model looks at. */
  private static final int MOST = 256;

  private final PredictDocument document;
  private final String model;
  private final ModelMetadata metadata;
  private final JsonCursor in;
  private final Map<String, ParameterValue> read = new LinkedHashMap<>();

  private PredictParameters(PredictDocument document, String model, ModelMetadata metadata) {
    this.document = document;
    this.model = model;
    this.metadata = metadata;
    this.in = document.at(document.parameters());
  }

  /**
   * Returns the parameters.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the model does not know one, or a value can
   *     be none
   */
  static RequestOptions read(PredictDocument document, String model, ModelMetadata metadata) {
    return document.parameters() < 0 || !metadata.heedsParameters()
        ? RequestOptions.NONE
        : new PredictParameters(document, model, metadata).read();
  }

  private RequestOptions read() {
    if (in.peek() == Kind.NULL) {
      return RequestOptions.NONE;
    }
    if (in.peek() != Kind.OBJECT) {
      throw wrong("parameters", "an object");
    }
    in.beginObject();
    while (in.nextKey()) {
      member(in.key());
    }
    return read.isEmpty() ? RequestOptions.NONE : new RequestOptions(0, SequenceStep.NONE, read);
  }

  private void member(String name) {
    if (!metadata.anyParameters() && !metadata.parameters().contains(name)) {
      throw InferenceException.invalid(
          "parameters has \"%s\", which model %s does not know; it knows: %s"
              .formatted(
                  BoundedText.cut(name, 100),
                  model,
                  String.join(", ", metadata.parameters().stream().sorted().toList())));
    }
    if (read.size() == MOST) {
      throw InferenceException.invalid("the request has more than " + MOST + " parameters");
    }
    ParameterValue value =
        JsonParameterValue.read(name, in)
            .orElseThrow(
                () -> wrong("parameter \"" + name + "\"", "a number, text, true or false"));
    read.put(name, value);
  }

  private InferenceException wrong(String what, String wanted) {
    return InferenceException.invalid(
        what + " is " + JsonDump.of(document.body(), in.position()) + "; wanted " + wanted);
  }
}
