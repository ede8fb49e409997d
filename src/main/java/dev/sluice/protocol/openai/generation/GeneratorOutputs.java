package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.NamedTensor;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The outputs of a generator's responses, which are borrowed here. */
public final class GeneratorOutputs {
  /** Also the name of its input. */
  public static final String TEXT = "text";

  /** There at the end of an answer. */
  public static final String FINISH_REASON = "finish_reason";

  public static final String PROMPT_TOKENS = "prompt_tokens";
  public static final String COMPLETION_TOKENS = "completion_tokens";

  /** Tokens of the prompt that an earlier one had computed; models need not have it. */
  public static final String CACHED_TOKENS = "cached_tokens";

  /** What every generator has. */
  static final List<String> ALL = List.of(TEXT, FINISH_REASON, PROMPT_TOKENS, COMPLETION_TOKENS);

  private GeneratorOutputs() {}

  /** Returns the names of what is asked of a generator. */
  static List<String> asked(Signature generator) {
    return generator.output(CACHED_TOKENS).isEmpty()
        ? ALL
        : Stream.concat(ALL.stream(), Stream.of(CACHED_TOKENS)).toList();
  }

  /** Returns the number of an output; 0 if the response does not have it. */
  public static long number(InferenceResponse response, String name) {
    return output(response, name)
        .map(found -> found.tensor().data().get(ValueLayout.JAVA_LONG, 0))
        .orElse(0L);
  }

  /** Returns the text of an output; empty if the response has none. */
  public static String text(InferenceResponse response, String name) {
    Optional<NamedTensor> text = output(response, name);
    if (text.isEmpty()) {
      return "";
    }
    var elements = new BytesElements(text.get().tensor());
    return elements.next() ? elements.toText() : "";
  }

  /** Writes the text of an output, or other JSON if the response does not have it. */
  public static void write(
      JsonWriter out, InferenceResponse response, String name, String otherwise) {
    Optional<NamedTensor> output = output(response, name);
    if (output.isPresent()) {
      var elements = new BytesElements(output.get().tensor());
      if (elements.next()) {
        out.string(elements.data(), elements.offset(), elements.length());
        return;
      }
    }
    out.raw(otherwise);
  }

  /** Returns an output, if the response has it. */
  public static Optional<NamedTensor> output(InferenceResponse response, String name) {
    return response.outputs().stream().filter(output -> output.name().equals(name)).findFirst();
  }
}
