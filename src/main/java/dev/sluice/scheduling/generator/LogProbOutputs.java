package dev.sluice.scheduling.generator;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.text.TokenBytes;
import dev.sluice.text.TokenCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Outputs with the log-probabilities of a stream's tokens, which a request asks for by a parameter.
 * The model does not declare them: they are sent beside its own.
 *
 * @param codec shows tokens as text
 */
public record LogProbOutputs(TokenCodec codec) {
  /** Texts of the tokens: BYTES {@code [1, tokens]}. */
  private static final String TOKENS = "tokens";

  /** Log-probabilities of the tokens: FP32 {@code [1, tokens]}. */
  private static final String TOKEN_LOGPROBS = "token_logprobs";

  /** Texts of the likeliest tokens in place of each: BYTES {@code [1, tokens, wanted]}. */
  private static final String TOP_TOKENS = "top_tokens";

  /** Log-probabilities of those: FP32 {@code [1, tokens, wanted]}. */
  private static final String TOP_LOGPROBS = "top_logprobs";

  private static final byte[] NO_TEXT = {};

  /** All of them: each message has those of its tokens, a whole answer those of all. */
  public static final Set<String> NAMES = Set.of(TOKENS, TOKEN_LOGPROBS, TOP_TOKENS, TOP_LOGPROBS);

  /**
   * Puts what stands for tokens that are not there, where answers of different lengths are rows of
   * one output: no text, and a probability of zero.
   *
   * @param output being built
   */
  public static void pad(TensorBuilder output, long elements) {
    for (long i = 0; i < elements; i++) {
      if (output.type() == DataType.BYTES) {
        output.putBytes(NO_TEXT, 0, 0);
      } else {
        output.putFloat(TokenLogProbs.LOWEST);
      }
    }
  }

  /** Adds those of one token. */
  void add(List<NamedTensor> sent, TokenLogProbs token) {
    Shape one = Shape.of(1, 1);
    List<TokenLogProbs.Ranked> chosen = List.of(token.chosen());
    sent.add(new NamedTensor(TOKENS, texts(chosen, one)));
    sent.add(new NamedTensor(TOKEN_LOGPROBS, numbers(chosen, one)));
    if (!token.top().isEmpty()) {
      Shape top = Shape.of(1, 1, token.top().size());
      sent.add(new NamedTensor(TOP_TOKENS, texts(token.top(), top)));
      sent.add(new NamedTensor(TOP_LOGPROBS, numbers(token.top(), top)));
    }
  }

  private Tensor texts(List<TokenLogProbs.Ranked> tokens, Shape shape) {
    try (var texts = new TensorBuilder(DataType.BYTES, 16L * tokens.size())) {
      for (TokenLogProbs.Ranked each : tokens) {
        byte[] text = shown(each.token()).getBytes(StandardCharsets.UTF_8);
        texts.putBytes(text, 0, text.length);
      }
      return texts.build(shape);
    }
  }

  private String shown(int token) {
    Optional<TokenBytes> bytes = codec.bytes();
    return bytes.isPresent() ? bytes.get().shown(token) : codec.decode(new long[] {token});
  }

  private static Tensor numbers(List<TokenLogProbs.Ranked> tokens, Shape shape) {
    try (var numbers = new TensorBuilder(DataType.FP32, 4L * tokens.size())) {
      tokens.forEach(each -> numbers.putFloat(each.logProb()));
      return numbers.build(shape);
    }
  }
}
