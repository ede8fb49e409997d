package dev.sluice.runtime.tensorflow;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names the library that an operation belongs to which TensorFlow itself does not have. */
final class MissingOperation {
  private static final Pattern NAMED = Pattern.compile("Op type not registered '([^']+)'");

  /** Of TensorFlow Text, those whose names do not say so. */
  private static final Set<String> TEXT =
      Set.of(
          "CaseFoldUTF8",
          "ConstrainedSequence",
          "FastBertNormalize",
          "FastWordpieceTokenizeWithOffsets",
          "FindSourceOffsets",
          "MaxSpanningTree",
          "NormalizeUTF8",
          "NormalizeUTF8WithOffsetsMap",
          "PhraseTokenize",
          "RegexSplitWithOffsets",
          "RougeL",
          "SentenceFragments",
          "SentenceFragmentsV2",
          "SplitMergeTokenizeWithOffsets",
          "TokenizerFromLogits",
          "UnicodeScriptTokenizeWithOffsets",
          "WhitespaceTokenizeWithOffsets",
          "WordpieceTokenizeWithOffsets");

  private MissingOperation() {}

  /** Returns what TensorFlow says, and where the operation comes from if it says that one lacks. */
  static String explain(String message) {
    Matcher named = NAMED.matcher(message);
    return named.find() ? message + ". " + origin(named.group(1)) : message;
  }

  private static String origin(String operation) {
    return library(operation)
            .map(library -> "'%s' is an operation of %s, whose".formatted(operation, library))
            .orElseGet(
                () -> "'%s' is no operation of TensorFlow itself; other".formatted(operation))
        + " operations are not part of this server";
  }

  private static Optional<String> library(String operation) {
    if (TEXT.contains(operation)
        || operation.startsWith("TFText>")
        || operation.startsWith("Sentencepiece")) {
      return Optional.of("TensorFlow Text");
    }
    if (operation.startsWith("SimpleML") || operation.startsWith("Yggdrasil")) {
      return Optional.of("TensorFlow Decision Forests");
    }
    if (operation.startsWith("Addons>")) {
      return Optional.of("TensorFlow Addons");
    }
    if (operation.startsWith("IO>")) {
      return Optional.of("TensorFlow I/O");
    }
    if (operation.startsWith("TRTEngine")) {
      return Optional.of("TensorRT");
    }
    return operation.startsWith("Horovod") ? Optional.of("Horovod") : Optional.empty();
  }
}
