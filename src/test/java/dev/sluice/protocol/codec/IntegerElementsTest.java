package dev.sluice.protocol.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class IntegerElementsTest {
  private static final int LISTS = 1_000;

  private final Random random = new Random(20_261_122);

  private static Tensor read(String list, DataType type, boolean runs) {
    var in = new JsonCursor(Body.of(list.getBytes(US_ASCII)));
    JsonElements elements = JsonElements.of(type, true);
    try (var out = new TensorBuilder(type, 64)) {
      in.beginArray();
      while (in.nextElement()) {
        if (!runs || elements.readRun(in, out, Long.MAX_VALUE) == 0) {
          assertThat(elements.read(in, out)).as(list).isTrue();
        }
      }
      in.finish();
      return out.build(Shape.of(out.elements()));
    }
  }

  /** One that the type holds, often one of its largest. */
  private String number(DataType type) {
    int bits = type.byteSize() * Byte.SIZE;
    boolean signed = type.name().startsWith("INT");
    BigInteger value = new BigInteger(1 + random.nextInt(bits), random);
    if (random.nextInt(8) == 0) {
      value =
          BigInteger.TWO.pow(bits).subtract(BigInteger.ONE).subtract(value.shiftRight(bits / 2));
    }
    BigInteger held = signed ? value.subtract(BigInteger.TWO.pow(bits - 1)) : value;
    return switch (random.nextInt(12)) {
      case 0 -> random.nextInt(100) + ".0";
      case 1 -> "0";
      case 2 -> "-0";
      case 3 -> Integer.toString(random.nextInt(100));
      default -> held.toString();
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"})
  void integersReadInARowAreThoseReadOneByOne(DataType type) {
    String[] separators = {",", ", ", " ,", ",\n  "};
    for (int i = 0; i < LISTS; i++) {
      var list = new StringBuilder("[").append(number(type));
      for (int rest = random.nextInt(80); rest > 0; rest--) {
        list.append(separators[random.nextInt(separators.length)]).append(number(type));
      }
      String text = list.append(random.nextBoolean() ? "]" : " ]").toString();
      try (Tensor row = read(text, type, true);
          Tensor single = read(text, type, false)) {
        assertThat(row.shape()).isEqualTo(single.shape());
        assertThat(row.data().mismatch(single.data())).as(text).isEqualTo(-1);
      }
    }
  }

  @Test
  void aRowEndsBeforeANumberThatTheTypeDoesNotHold() {
    var in = new JsonCursor(Body.of("[127,-128,128,1]".getBytes(US_ASCII)));
    in.beginArray();
    in.nextElement();
    try (var out = new TensorBuilder(DataType.INT8, 64)) {
      JsonElements elements = JsonElements.of(DataType.INT8);
      assertThat(elements.readRun(in, out, 10)).isEqualTo(2);
      assertThat(in.nextElement()).isTrue();
      assertThat(elements.readRun(in, out, 10)).isZero();
      assertThat(elements.read(in, out)).isFalse();
      assertThat(in.number().toLong()).isEqualTo(128);
    }
  }

  @Test
  void aRowEndsAfterAsManyAsAreWanted() {
    var in = new JsonCursor(Body.of("[1,2,3]".getBytes(US_ASCII)));
    in.beginArray();
    in.nextElement();
    try (var out = new TensorBuilder(DataType.INT64, 64)) {
      assertThat(JsonElements.of(DataType.INT64).readRun(in, out, 2)).isEqualTo(2);
      assertThat(in.nextElement()).isTrue();
      assertThat(in.number().toLong()).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "1",
        "01,",
        "-01,",
        "1.0,",
        "1.,",
        "1e2,",
        "1}",
        "1 ,",
        "+1,",
        "\"1\",",
        "true,",
        "1234567890123456789,"
      })
  void whatIsNotWrittenPlainlyIsLeftToTheFullReader(String text) {
    var in = new JsonCursor(Body.of(text.getBytes(US_ASCII)));
    assertThat(in.plainIntegers(1, false, Long.MIN_VALUE, Long.MAX_VALUE)).isZero();
  }
}
