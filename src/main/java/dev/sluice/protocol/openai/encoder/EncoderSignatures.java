package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What models look like that take texts, and what they answer. */
final class EncoderSignatures {
  private EncoderSignatures() {}

  /**
   * Returns the signature of a model that takes texts and answers numbers.
   *
   * @param inputs names of all its inputs of texts
   * @param rank dimensions of the output
   * @param otherwise what is said of a model of another kind
   * @throws InferenceException with INVALID_ARGUMENT if it is one
   */
  static Signature of(
      ModelLease model, List<String> inputs, String output, int rank, String otherwise) {
    Optional<Signature> found =
        model.metadata().signature("").filter(signature -> fits(signature, inputs, output, rank));
    if (found.isEmpty() || !model.metadata().answersOnce()) {
      throw OpenAiError.parameter(
          "model", "'" + model.id().name() + "', which " + otherwise, "one that does");
    }
    return found.get();
  }

  private static boolean fits(Signature signature, List<String> inputs, String output, int rank) {
    return signature.inputs().stream()
            .allMatch(input ->
                input.optional()
                    || (inputs.contains(input.name()) && input.type() == DataType.BYTES))
        && inputs.stream().allMatch(name -> signature.input(name).isPresent())
        && signature
            .output(output)
            .filter(spec -> spec.type() == DataType.FP32 && spec.shape().isRankKnown())
            .filter(spec -> spec.shape().rank() == rank)
            .isPresent();
  }

  /**
   * Returns the output that was asked for first, with a row for each text.
   *
   * @throws InferenceException with INTERNAL if the model answers more or fewer
   */
  static Tensor rows(InferenceResponse response, long texts) {
    NamedTensor output = response.outputs().getFirst();
    long rows = output.tensor().shape().dim(0);
    if (rows != texts) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "the model answered output \"%s\" with %d rows; wanted %d, one for each"
              .formatted(output.name(), rows, texts));
    }
    return output.tensor();
  }

  /** Returns the tokens of all texts together; 0 if the model does not count them. */
  static long tokens(InferenceResponse response) {
    long sum = 0;
    for (NamedTensor output : response.outputs()) {
      if (output.name().equals(EncoderCall.TOKENS) && output.tensor().type() == DataType.INT32) {
        for (long i = 0; i < output.tensor().elementCount(); i++) {
          sum += output.tensor().data().getAtIndex(ValueLayout.JAVA_INT, i);
        }
      }
    }
    return sum;
  }

  /** Returns a tensor that was not taken yet. */
  static Tensor held(@Nullable Tensor tensor) {
    return Objects.requireNonNull(tensor, "taken already");
  }
}
