package dev.sluice.scheduling.generator;

import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.config.model.TextConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Tokenizer and detokenizer of a generation loop: text in place of the input that chosen tokens go
 * to, and in place of the tokens that it sends. Immutable; any thread.
 *
 * @param config how the text is named
 * @param vocabulary the texts of the choices
 * @param next the choice
 */
record Tokenizer(TextConfig config, Vocabulary vocabulary, GeneratorConfig.Next next) {
  /** Returns the signature that clients see of a loop: text where it takes and sends choices. */
  Signature shown(Signature loop) {
    return new Signature(
        loop.name(),
        loop.method(),
        loop.inputs().stream().map(spec -> spec.name().equals(next.to()) ? text() : spec).toList(),
        loop.outputs().stream()
            .map(spec -> spec.name().equals(next.as()) ? text() : spec)
            .toList());
  }

  private TensorSpec text() {
    return new TensorSpec(config.as(), DataType.BYTES, Shape.of(Shape.ANY));
  }

  /**
   * Returns the request in the loop's own words. The caller's to close; the request must outlive
   * it.
   *
   * @param loop what the loop takes and sends
   * @throws InferenceException with INVALID_ARGUMENT if it has no text, or one that is too long or
   *     not known
   */
  InferenceRequest asked(InferenceRequest request, Signature loop) {
    List<NamedTensor> inputs = new ArrayList<>(request.inputs().size());
    try {
      for (NamedTensor input : request.inputs()) {
        inputs.add(
            input.name().equals(config.as())
                ? new NamedTensor(next.to(), encode(input.tensor(), loop))
                : new NamedTensor(input.name(), input.tensor().borrow()));
      }
      return request.step(loop, inputs, request.outputs().stream().map(this::inLoop).toList());
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(inputs);
      throw e;
    }
  }

  private String inLoop(String output) {
    return output.equals(config.as()) ? next.as() : output;
  }

  private Tensor encode(Tensor text, Signature loop) {
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
    String prompt = elements.toText();
    if (prompt.length() > config.maxLength()) {
      throw tooLong(prompt.length() + " characters");
    }
    return vocabulary.encode(prompt, loop.input(next.to()).orElseThrow().type());
  }

  private InferenceException tooLong(String length) {
    return InferenceException.invalid(
        "input \"%s\" has %s; it may have %d characters (setting stream.text.max_length)"
            .formatted(config.as(), length, config.maxLength()));
  }

  /**
   * Returns the outputs to send, with text in place of choices.
   *
   * @param sent taken over
   */
  List<NamedTensor> detokenize(List<NamedTensor> sent) {
    List<NamedTensor> detokenize = new ArrayList<>(sent.size());
    try {
      for (NamedTensor output : sent) {
        detokenize.add(output.name().equals(next.as()) ? text(output) : output);
      }
      return detokenize;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(detokenize);
      NamedTensor.closeAll(sent);
      throw e;
    }
  }

  private NamedTensor text(NamedTensor choice) {
    try (choice) {
      return new NamedTensor(config.as(), vocabulary.decode(choice.tensor()));
    }
  }
}
