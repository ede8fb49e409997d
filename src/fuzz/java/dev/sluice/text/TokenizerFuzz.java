package dev.sluice.text;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@code tokenizer.json}, by the digit in front: 0 special tokens of texts are text, 1 they are
 * those. Its library is native code: what it cannot do ends the fuzzer, as it would the server.
 */
final class TokenizerFuzz implements FuzzTarget {
  private static final List<String> TEXTS =
      List.of(
          "",
          " Hello,  you!\n",
          "\uD83D\uDE00 e\u0301 \u4F60\u597D \u0000 \uFFFD",
          "<s>[CLS]</s>##a",
          "a".repeat(300));

  private static final int MOST_TOKENS = 64;

  private final InputFile file = new InputFile("tokenizer.json");

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    boolean special = bytes.below(2) == 1;
    var path = file.with(bytes.rest());
    @Nullable HuggingFaceTokenizer tokenizer =
        Rejection.request(() -> HuggingFaceTokenizer.read(path, special));
    if (tokenizer == null) {
      return;
    }
    TEXTS.forEach(text -> use(tokenizer, text));
    for (long token = -1; token <= Math.min(tokenizer.size(), MOST_TOKENS); token++) {
      long one = token;
      var _ = Rejection.request(() -> tokenizer.spell(new long[] {one, one}));
    }
    var _ = tokenizer.bytes();
  }

  private static void use(HuggingFaceTokenizer tokenizer, String text) {
    long @Nullable [] alone = Rejection.request(() -> tokenizer.encode(text, false));
    if (alone != null) {
      var _ = Rejection.request(() -> tokenizer.decode(alone));
    }
    @Nullable TokenSequence pair = Rejection.request(() -> tokenizer.sequence(text, "B b"));
    if (pair != null && pair.ids().length != pair.types().length) {
      throw new AssertionError("not a type for each token");
    }
  }

  /** The library allocates outside of the heap; what is read is copied twice. */
  @Override
  public long bytesPerByte() {
    return 2_048;
  }
}
