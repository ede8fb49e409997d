package dev.sluice.protocol.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FloatElementsTest {
  private static final int LISTS = 3_000;

  private final Random random = new Random(20_261_122);

  private static Tensor read(String list, DataType type, boolean runs) {
    var in = new JsonCursor(Body.of(list.getBytes(US_ASCII)));
    JsonElements elements = JsonElements.of(type);
    try (var out = new TensorBuilder(type, 64)) {
      in.beginArray();
      while (in.nextElement()) {
        if (!runs || elements.readRun(in, out, Long.MAX_VALUE) == 0) {
          assertThat(elements.read(in, out)).isTrue();
        }
      }
      in.finish();
      return out.build(Shape.of(out.elements()));
    }
  }

  private String number() {
    return switch (random.nextInt(10)) {
      case 0 -> Integer.toString(random.nextInt(2_000) - 1_000);
      case 1 -> Float.toString(Float.intBitsToFloat(random.nextInt() & 0xBFFF_FFFF));
      case 2 -> Double.toString(random.nextGaussian());
      case 3 -> Float.toString(random.nextFloat());
      case 4 -> new BigDecimal(random.nextLong()).movePointLeft(random.nextInt(20)).toPlainString();
      case 5 -> random.nextInt(100) + "." + "0".repeat(random.nextInt(20)) + random.nextInt(100);
      // The middle of two floats, or next to it.
      case 6 -> new BigDecimal(1 + Math.scalb(1.0 + random.nextInt(4), -24)).toPlainString();
      case 7 -> nearMiddle();
      // As clients write a float that has become a double.
      case 8 -> Double.toString(random.nextFloat() * 2 - 1);
      default -> random.nextBoolean() ? "-0" : "NaN";
    };
  }

  /** Eighteen digits of a number that lies less than a few doubles beside the middle of floats. */
  private String nearMiddle() {
    float low = 1 + random.nextFloat() * 8;
    double middle = (low + (double) Math.nextUp(low)) / 2;
    double beside = middle + (random.nextInt(7) - 3) * Math.ulp(middle);
    return new BigDecimal(beside)
        .setScale(17, RoundingMode.HALF_EVEN)
        .add(BigDecimal.valueOf(random.nextInt(41) - 20L, 17))
        .toPlainString();
  }

  @ParameterizedTest
  @EnumSource(names = {"FP32", "FP64"})
  void numbersReadInARowAreThoseReadOneByOne(DataType type) {
    String[] separators = {",", ", ", " ,", ",\n  "};
    for (int i = 0; i < LISTS; i++) {
      var list = new StringBuilder("[").append(number());
      for (int rest = random.nextInt(80); rest > 0; rest--) {
        list.append(separators[random.nextInt(separators.length)]).append(number());
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
  void aRowEndsAfterAsManyAsAreWanted() {
    var in = new JsonCursor(Body.of("[1.5,2.5,3.5]".getBytes(US_ASCII)));
    in.beginArray();
    in.nextElement();
    try (var out = new TensorBuilder(DataType.FP32, 64)) {
      assertThat(JsonElements.of(DataType.FP32).readRun(in, out, 2)).isEqualTo(2);
      assertThat(in.nextElement()).isTrue();
      assertThat(in.number().toDouble()).isEqualTo(3.5);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "1",
        "1.",
        "01,",
        "1.,",
        ".5,",
        "-.5,",
        "1e5,",
        "1}",
        "1 ,",
        "+1,",
        "0x1,",
        "1.5",
        "\"1\",",
        "null,",
        "12345678901234567890,",
        "0.1234567890123456789,"
      })
  void whatIsNotWrittenPlainlyIsLeftToTheFullReader(String text) {
    var in = new JsonCursor(Body.of(text.getBytes(US_ASCII)));
    assertThat(in.plainNumbers(1, false, true)).isZero();
  }

  @Test
  void moreDigitsThanADoubleHoldsAreReadPlainlyIfAFloatIsWanted() {
    var in = new JsonCursor(Body.of("0.35233458876609802,".getBytes(US_ASCII)));
    assertThat(in.plainNumbers(1, false, false)).isZero();
    assertThat(in.plainNumbers(1, false, true)).isEqualTo(1);
    assertThat((float) in.plainValues()[0]).isEqualTo(0.3523346f);
  }
}
