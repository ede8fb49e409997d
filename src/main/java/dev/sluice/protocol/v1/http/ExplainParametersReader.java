package dev.sluice.protocol.v1.http;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.inference.explain.ExplainParameters;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonElements;
import dev.sluice.protocol.v1.http.element.InputBuilder;
import dev.sluice.protocol.v1.http.element.JsonDump;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@code parameters} of an explain request: {@code samples}, {@code seed}, {@code output}
 * (a name, or the number of a column), {@code column}, {@code baseline} (one row). What the body
 * has was checked to be JSON before.
 */
final class ExplainParametersReader {
  private static final Pattern DIGITS = Pattern.compile("\\d{1,18}");

  private final PredictDocument document;
  private final Signature signature;
  private final JsonCursor in;
  private OptionalInt samples = OptionalInt.empty();
  private OptionalLong seed = OptionalLong.empty();
  private String output = "";
  private OptionalInt column = OptionalInt.empty();
  private @Nullable Tensor baseline;

  private ExplainParametersReader(PredictDocument document, Signature signature) {
    this.document = document;
    this.signature = signature;
    this.in = document.at(document.parameters());
  }

  /**
   * Returns the parameters, which the caller owns.
   *
   * @throws InferenceException with INVALID_ARGUMENT if one is unknown, or is not what it should be
   */
  static ExplainParameters read(PredictDocument document, Signature signature) {
    return document.parameters() < 0
        ? ExplainParameters.NONE
        : new ExplainParametersReader(document, signature).read();
  }

  private ExplainParameters read() {
    if (in.peek() != Kind.OBJECT) {
      throw wrong("parameters", "an object");
    }
    in.beginObject();
    try {
      while (in.nextKey()) {
        member(in.key());
      }
    } catch (RuntimeException | Error e) {
      if (baseline != null) {
        baseline.close();
      }
      throw e;
    }
    return new ExplainParameters(samples, seed, output, column, baseline);
  }

  private void member(String key) {
    switch (key) {
      case "samples" -> samples = OptionalInt.of((int) whole(key, Integer.MAX_VALUE));
      case "seed" -> seed = OptionalLong.of(whole(key, Long.MAX_VALUE));
      case "column" -> column = OptionalInt.of((int) whole(key, Integer.MAX_VALUE));
      case "output" -> output();
      case "baseline" -> baseline();
      default ->
          throw InferenceException.invalid(
              "parameters has no \"%s\"; it may have samples, seed, output, column and baseline"
                  .formatted(BoundedText.cut(key, 100)));
    }
  }

  private void output() {
    if (in.peek() == Kind.STRING) {
      output = in.string().toText();
    } else {
      column = OptionalInt.of((int) whole("output", Integer.MAX_VALUE));
    }
  }

  private long whole(String key, long largest) {
    boolean isNumber = in.peek() == Kind.NUMBER;
    int start = in.position();
    if (isNumber) {
      in.skipValue();
      String text = in.text(start, in.position());
      if (DIGITS.matcher(text).matches() && Long.parseLong(text) <= largest) {
        return Long.parseLong(text);
      }
      in.seek(start);
    }
    throw wrong(
        key,
        key.equals("output")
            ? "the name of an output, or the number of a column"
            : "a whole number from 0 to " + largest);
  }

  private void baseline() {
    if (baseline != null) {
      throw InferenceException.invalid("parameters has two baselines");
    }
    if (signature.inputs().size() != 1) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED, "a baseline is for models with one input");
    }
    TensorSpec spec = signature.inputs().getFirst();
    // Explanations are KServe's, which takes whole floats for integers.
    try (var row =
        new InputBuilder(
            document.body(), spec, in, in.remaining(), JsonElements.of(spec.type(), true))) {
      row.readRow();
      baseline = row.build().tensor();
    }
  }

  private InferenceException wrong(String key, String wanted) {
    return InferenceException.invalid(
        "%s is %s; wanted %s"
            .formatted(
                key, BoundedText.cut(JsonDump.of(document.body(), in.position()), 300), wanted));
  }
}
