package dev.sluice.transport.grpc.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.transport.Body;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages are written as bytes: a tag is {@code number * 8 + 2} for fields with a length. */
class PartialFieldLocatorTest {
  /** A path that no test's message has. */
  private static final int[] OTHER = {98, 98};

  private static int find(int[] path, int... bytes) {
    byte[] beginning = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      beginning[i] = (byte) bytes[i];
    }
    return PartialFieldLocator.find(Body.of(beginning), List.of(OTHER, path));
  }

  @Test
  void theFieldThatGoesOnBehindTheFirstBytesIsFound() {
    assertThat(find(new int[] {58}, 10, 1, 'm', 58, 100, 1, 2, 3)).isEqualTo(5);
  }

  @Test
  void aFieldOfTheSameTagThatIsCompleteIsPassedOver() {
    assertThat(find(new int[] {58}, 58, 1, 7, 58, 100)).isEqualTo(5);
  }

  @Test
  void aFieldWithinFieldsThatGoOnIsFound() {
    assertThat(find(new int[] {18, 18, 34}, 18, 100, 10, 1, 'x', 18, 90, 8, 1, 34, 80, 1))
        .isEqualTo(11);
  }

  @Test
  void anotherFieldThatGoesOnIsNotTaken() {
    assertThat(find(new int[] {58}, 42, 100, 1, 2)).isNegative();
    assertThat(find(new int[] {18, 34}, 18, 100, 42, 90, 1)).isNegative();
  }

  @Test
  void bytesThatTellNothingAreNoMistake() {
    assertThat(find(new int[] {58})).isNegative();
    assertThat(find(new int[] {58}, 58)).isNegative();
    assertThat(find(new int[] {58}, 58, 0x80)).isNegative();
    assertThat(find(new int[] {58}, 7, 7, 7)).isNegative();
    assertThat(find(new int[] {58}, 4, 4)).isNegative();
    assertThat(find(new int[0], 58, 100)).isNegative();
  }

  @Test
  void aLengthBeyondThirtyOneBitsIsLong() {
    assertThat(find(new int[] {58}, 58, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1)).isEqualTo(6);
  }
}
