package dev.sluice.serving.encoder;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The tensors of a text encoder, by the names that they have in models of Hugging Face.
 *
 * @param called the model's own signature
 * @param output which answers are made of: vectors of tokens [rows, tokens, width], or one row for
 *     each text [rows, width]
 */
record EncoderGraph(Signature called, TensorSpec output) {
  static final String IDS = "input_ids";
  static final String MASK = "attention_mask";
  static final String TYPES = "token_type_ids";
  static final String POSITIONS = "position_ids";

  private static final Set<String> INPUTS = Set.of(IDS, MASK, TYPES, POSITIONS);
  private static final List<String> VECTORS =
      List.of("sentence_embedding", "last_hidden_state", "token_embeddings");
  private static final String LOGITS = "logits";
  private static final int VECTORS_RANK = 3;
  private static final int ROWS_RANK = 2;

  /** Returns the graph if it makes vectors of tokens and their mask. */
  static Optional<EncoderGraph> ofVectors(Signature signature) {
    return VECTORS.stream()
        .flatMap(name -> signature.output(name).stream())
        .filter(output -> isFloat(output) && hasRank(output, ROWS_RANK, VECTORS_RANK))
        .findFirst()
        .filter(_ -> takesTokens(signature))
        .map(output -> new EncoderGraph(signature, output));
  }

  /** Returns the graph if it makes a row of logits of tokens and their mask. */
  static Optional<EncoderGraph> ofLogits(Signature signature) {
    return signature
        .output(LOGITS)
        .filter(output -> isFloat(output) && hasRank(output, ROWS_RANK, ROWS_RANK))
        .filter(_ -> takesTokens(signature))
        .map(output -> new EncoderGraph(signature, output));
  }

  private static boolean takesTokens(Signature signature) {
    return signature.input(IDS).isPresent()
        && signature.input(MASK).isPresent()
        && signature.inputs().stream().allMatch(input -> input.optional() || isTokens(input));
  }

  private static boolean isTokens(TensorSpec input) {
    return INPUTS.contains(input.name())
        && (input.type() == DataType.INT64 || input.type() == DataType.INT32)
        && hasRank(input, ROWS_RANK, ROWS_RANK);
  }

  private static boolean isFloat(TensorSpec output) {
    return output.type() == DataType.FP32 || output.type() == DataType.FP16;
  }

  private static boolean hasRank(TensorSpec spec, int least, int most) {
    return spec.shape().isRankKnown()
        && spec.shape().rank() >= least
        && spec.shape().rank() <= most;
  }

  /** Returns how many numbers a text's row has; -1 if the model does not declare it. */
  long width() {
    return output.shape().dim(output.shape().rank() - 1);
  }

  /** Returns whether rows are those of tokens, of which a text's is made. */
  boolean needsPooling() {
    return output.shape().rank() == VECTORS_RANK;
  }
}
