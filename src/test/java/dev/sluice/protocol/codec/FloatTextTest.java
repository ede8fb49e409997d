package dev.sluice.protocol.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FloatTextTest {
  /** A prime: steps through the bits of all floats so that each of them changes often. */
  private static final int STEP = 2_039;

  private final byte[] bytes = new byte[FloatText.MOST_BYTES];

  private String write(float value) {
    return new String(bytes, 0, FloatText.write(value, bytes, 0), US_ASCII);
  }

  @ParameterizedTest
  @ValueSource(
      floats = {
        0f,
        -0f,
        1f,
        -1.5f,
        0.1f,
        100f,
        1e6f,
        1e7f,
        9_999_999f,
        1e-3f,
        9.99e-4f,
        1e10f,
        16_777_216f,
        8.41e21f,
        2.8e-45f,
        9.8e-45f,
        1.1754942e-38f,
        33_554_432f,
        2.3841858e-7f,
        Float.MIN_VALUE,
        Float.MIN_NORMAL,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
      })
  void theTextIsThatOfTheJdk(float value) {
    assertThat(write(value)).isEqualTo(Float.toString(value));
  }

  @Test
  void soIsThatOfFloatsFromTheWholeRange() {
    // Every one of them was compared once, when this was written.
    for (long bits = 0; bits < 1L << 32; bits += STEP) {
      float value = Float.intBitsToFloat((int) bits);
      if (Float.isFinite(value) && !write(value).equals(Float.toString(value))) {
        assertThat(write(value)).isEqualTo(Float.toString(value));
      }
    }
  }
}
