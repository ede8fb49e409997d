package dev.sluice.scheduling.generator;

import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.config.model.TextConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.stream.StreamSteps;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.text.StreamedText;
import dev.sluice.text.TextParameters;
import dev.sluice.text.TokenCodec;
import dev.sluice.text.constraint.ConstrainedText;
import dev.sluice.text.constraint.Constraints;
import java.lang.foreign.ValueLayout;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tokenizer and detokenizer of a generation loop: text in place of the input that chosen tokens go
 * to, and in place of the tokens that it sends. Immutable; any thread.
 *
 * @param config how the text is named, and its limits
 * @param codec of the choices
 * @param next the choice
 * @param constraints on texts, compiled for the model's tokens
 */
record Tokenizer(
    TextConfig config, TokenCodec codec, GeneratorConfig.Next next, Constraints constraints) {
  /** Makes the steps of a stream. */
  interface LoopSteps {
    /**
     * Returns the steps of a stream whose prompt is tokenized.
     *
     * @param room most tokens of the answer
     * @param constraint on its text, borrowed; null if there is none
     */
    DecodeSteps of(int room, @Nullable ConstrainedText constraint);
  }

  /** Returns the signature that clients see of a loop: text where it takes and sends choices. */
  Signature shown(Signature loop) {
    return new Signature(
        loop.name(),
        loop.method(),
        loop.inputs().stream().map(spec -> spec.name().equals(next.to()) ? text() : spec).toList(),
        outputs(List.of()).shown(loop.outputs()));
  }

  private TensorSpec text() {
    return new TensorSpec(config.as(), DataType.BYTES, Shape.of(Shape.ANY));
  }

  private TextOutputs outputs(List<String> wanted) {
    return new TextOutputs(next.as(), config.as(), wanted);
  }

  /**
   * Returns the request in the loop's own words. The caller's to close; the request must outlive
   * it.
   *
   * @param loop what is run with the tokens
   * @throws InferenceException with INVALID_ARGUMENT if it has no text, or one that is empty, too
   *     long or not known
   */
  InferenceRequest asked(InferenceRequest request, GenerationLoop loop) {
    List<NamedTensor> inputs = new ArrayList<>(request.inputs().size());
    try {
      for (NamedTensor input : request.inputs()) {
        inputs.add(
            input.name().equals(config.as())
                ? new NamedTensor(next.to(), encode(request, input.tensor(), loop))
                : new NamedTensor(input.name(), input.tensor().borrow()));
      }
      Signature shown = loop.shown();
      return request.step(shown, inputs, outputs(request.outputs()).ofLoop(shown));
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(inputs);
      throw e;
    }
  }

  private long[] tokens(InferenceRequest request, Tensor text) {
    var parameters = new SamplingParameters(request.options().parameters());
    if (parameters.isChat()) {
      return codec.encodeChat(prompt(text), config.maxLength());
    }
    return parameters.isTokenIds() ? tokenIds(prompt(text)) : codec.encode(prompt(text));
  }

  private long[] tokenIds(String list) {
    long[] tokens =
        TextParameters.tokenIds(list)
            .orElseThrow(() ->
                InferenceException.invalid(
                    "input \"%s\" is no JSON list of token ids".formatted(config.as())));
    for (int i = 0; i < tokens.length; i++) {
      PromptState.requireToken(config.as(), tokens[i], i, codec.size());
    }
    return tokens;
  }

  private Tensor encode(InferenceRequest request, Tensor text, GenerationLoop loop) {
    long[] tokens = tokens(request, text);
    if (tokens.length == 0) {
      throw InferenceException.invalid(
          "input \"%s\" is empty; a stream needs something to begin with".formatted(config.as()));
    }
    // A vocabulary may have more tokens than the model.
    long known = loop.candidates(next);
    for (int i = 0; known >= 0 && i < tokens.length; i++) {
      PromptState.requireToken(config.as(), tokens[i], i, known);
    }
    DataType type = loop.shown().input(next.to()).orElseThrow().type();
    Tensor prompt = Tensor.allocate(type, Shape.of(1, tokens.length));
    for (int i = 0; i < tokens.length; i++) {
      if (type == DataType.INT64) {
        prompt.data().setAtIndex(ValueLayout.JAVA_LONG, i, tokens[i]);
      } else {
        prompt.data().setAtIndex(ValueLayout.JAVA_INT, i, (int) tokens[i]);
      }
    }
    return prompt;
  }

  private String prompt(Tensor text) {
    var elements = new BytesElements(text);
    if (text.elementCount() != 1 || !elements.next()) {
      throw InferenceException.invalid(
          "input \"%s\" has shape %s; a stream takes one text"
              .formatted(config.as(), text.shape()));
    }
    // No character has more bytes than 4.
    if (elements.length() > 4L * config.maxLength()) {
      throw tooLong(elements.length() + " bytes");
    }
    String prompt = text(elements);
    if (prompt.length() > config.maxLength()) {
      throw tooLong(prompt.length() + " characters");
    }
    return prompt;
  }

  private String text(BytesElements prompt) {
    try {
      return prompt.toExactText();
    } catch (CharacterCodingException _) {
      throw InferenceException.invalid("input \"%s\" is not UTF-8".formatted(config.as()));
    }
  }

  private InferenceException tooLong(String length) {
    return InferenceException.invalid(
        "input \"%s\" has %s; it may have %d characters (setting stream.text.max_length)"
            .formatted(config.as(), length, config.maxLength()));
  }

  /**
   * Returns the steps that answer a request with text.
   *
   * @param request in the client's words
   * @param asked in the loop's words; taken over with success
   * @param loop makes the loop's own steps
   * @throws InferenceException with INVALID_ARGUMENT if the model has no room for the tokens, or a
   *     constraint is wrong
   */
  StreamSteps steps(InferenceRequest request, InferenceRequest asked, LoopSteps loop) {
    var parameters = new SamplingParameters(request.options().parameters());
    Tensor prompt = Objects.requireNonNull(asked.input(next.to())).tensor();
    var text =
        new StreamedText(
            parameters.wantsToolCalls() ? codec::decodeToolCalls : codec::decode,
            parameters.stops());
    int room = room(prompt.elementCount(), parameters);
    ConstrainedText constraint = parameters.constraint(constraints);
    if (constraint != null || !parameters.isChat()) {
      text.follow(tokens(prompt));
    }
    try {
      return new DetokenizedSteps(
          outputs(request.outputs()),
          new LogProbOutputs(codec),
          asked,
          loop.of(room, constraint),
          constraint,
          text,
          prompt.elementCount());
    } catch (RuntimeException | Error e) {
      if (constraint != null) {
        constraint.close();
      }
      throw e;
    }
  }

  private static long[] tokens(Tensor prompt) {
    return prompt.type() == DataType.INT64
        ? prompt.data().toArray(ValueLayout.JAVA_LONG)
        : IntStream.of(prompt.data().toArray(ValueLayout.JAVA_INT)).asLongStream().toArray();
  }

  /** Returns the most tokens that an answer may have beside a prompt. */
  private int room(long prompt, SamplingParameters parameters) {
    if (config.context() == 0) {
      return Integer.MAX_VALUE;
    }
    long room = config.context() - prompt;
    if (room < 1 || parameters.wantedSteps() > room) {
      throw InferenceException.beyondContext(
          "input \"%s\" has %d tokens, and %d are wanted; together the model takes %d"
                  .formatted(
                      config.as(), prompt, Math.max(1, parameters.wantedSteps()), config.context())
              + " (setting stream.text.context)");
    }
    return (int) room;
  }
}
