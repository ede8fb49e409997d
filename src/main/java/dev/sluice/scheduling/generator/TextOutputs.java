package dev.sluice.scheduling.generator;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Outputs of a stream of text: the text in place of the loop's choice, and with its last response
 * why it has ended and how many tokens there were.
 *
 * @param choice the loop's output that becomes text
 * @param text what that is called then
 * @param wanted names of those to send; empty: all
 */
record TextOutputs(String choice, String text, List<String> wanted) {
  static final String FINISH_REASON = "finish_reason";
  static final String PROMPT_TOKENS = "prompt_tokens";
  static final String COMPLETION_TOKENS = "completion_tokens";

  /** Tokens of the prompt that an earlier one had computed. Sent only if it is asked for. */
  static final String CACHED_TOKENS = "cached_tokens";

  private static final List<String> AT_THE_END =
      List.of(FINISH_REASON, PROMPT_TOKENS, COMPLETION_TOKENS, CACHED_TOKENS);

  /** Returns the declared outputs, in place of the loop's. */
  List<TensorSpec> shown(List<TensorSpec> loop) {
    Stream<TensorSpec> spoken =
        loop.stream().map(spec -> spec.name().equals(choice) ? one(text, DataType.BYTES) : spec);
    return Stream.concat(
            spoken,
            Stream.of(
                one(FINISH_REASON, DataType.BYTES),
                one(PROMPT_TOKENS, DataType.INT64),
                one(COMPLETION_TOKENS, DataType.INT64),
                one(CACHED_TOKENS, DataType.INT64).asOptional()))
        .toList();
  }

  private static TensorSpec one(String name, DataType type) {
    return new TensorSpec(name, type, Shape.of(Shape.ANY));
  }

  /** Returns the outputs that are wanted of the loop; its choice is, whatever is sent. */
  List<String> ofLoop(Signature loop) {
    if (wanted.isEmpty()) {
      return List.of();
    }
    List<String> names = new ArrayList<>();
    names.add(choice);
    for (String name : wanted) {
      if (!name.equals(text) && loop.output(name).isPresent()) {
        names.add(name);
      }
    }
    return names;
  }

  private boolean wants(String name) {
    return wanted.contains(name) || (wanted.isEmpty() && !name.equals(CACHED_TOKENS));
  }

  /** Adds the next piece of the text, if it is wanted. */
  void addText(List<NamedTensor> sent, String more) {
    if (wants(text)) {
      sent.addFirst(new NamedTensor(text, text(more)));
    }
  }

  /**
   * Adds the last piece of the text, and what is known at its end.
   *
   * @param reason why it has ended
   * @param counts of tokens, by the outputs' names
   */
  void addEnd(List<NamedTensor> sent, String more, String reason, Map<String, Long> counts) {
    addText(sent, more);
    for (String name : AT_THE_END) {
      if (wants(name)) {
        Long count = counts.get(name);
        sent.add(new NamedTensor(name, count == null ? text(reason) : number(count)));
      }
    }
  }

  private static Tensor text(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    try (var text = new TensorBuilder(DataType.BYTES, Integer.BYTES + bytes.length)) {
      text.putBytes(bytes, 0, bytes.length);
      return text.build(Shape.of(1));
    }
  }

  private static Tensor number(long value) {
    Tensor number = Tensor.allocate(DataType.INT64, Shape.of(1));
    number.data().set(ValueLayout.JAVA_LONG, 0, value);
    return number;
  }
}
