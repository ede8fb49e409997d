package dev.sluice.serving.encoder;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.Tensor;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the texts of an input, some at a time: those of a large request are never all on the heap.
 */
final class TextReader {
  /** Bytes of one text: a tokenizer reads all of a text that it cuts. */
  static final int LONGEST = 1 << 20;

  private static final int MOST_TEXTS = 512;
  private static final int MOST_BYTES = 1 << 20;

  private final String input;
  private final BytesElements elements;
  private final long count;
  private long read;

  /**
   * Requires that no text is empty or too long.
   *
   * @param input its name, for errors
   * @throws InferenceException with INVALID_ARGUMENT, naming the text
   */
  TextReader(String input, Tensor texts) {
    this.input = input;
    this.count = texts.elementCount();
    this.elements = new BytesElements(texts);
    var all = new BytesElements(texts);
    for (long i = 0; all.next(); i++) {
      if (all.length() == 0 || all.length() > LONGEST) {
        throw InferenceException.invalid(
            "input \"%s\" has %d bytes in element %d; wanted a text of 1 to %d bytes"
                .formatted(input, all.length(), i, LONGEST));
      }
    }
  }

  /** Returns how many texts were read. */
  long position() {
    return read;
  }

  /** Returns whether there are more. */
  boolean hasMore() {
    return read < count;
  }

  /**
   * Returns the next texts, at least one.
   *
   * @throws InferenceException with INVALID_ARGUMENT if one of them is not UTF-8
   */
  List<String> next() {
    var texts = new ArrayList<String>();
    long bytes = 0;
    while (read < count && texts.size() < MOST_TEXTS && bytes < MOST_BYTES) {
      elements.next();
      bytes += elements.length();
      texts.add(text());
      read++;
    }
    return texts;
  }

  private String text() {
    try {
      return elements.toExactText();
    } catch (CharacterCodingException _) {
      throw InferenceException.invalid(
          "input \"%s\" is not UTF-8 in element %d".formatted(input, read));
    }
  }
}
