package dev.sluice.serving.encoder;

import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;

/**
 * Answers for texts, put together row by row in any order. Owns them until they are built. One
 * thread at a time.
 */
interface EncodedTexts extends AutoCloseable {
  /**
   * Takes a text's answer.
   *
   * @param text its place
   * @param rows what the model has computed; borrowed
   * @param row which of them is the text's
   * @param length tokens of the text
   */
  void take(long text, Tensor rows, long row, int length);

  /** Returns an output, once each text was taken; the caller's to close. */
  NamedTensor output(String name);

  @Override
  void close();
}
