package dev.sluice.protocol.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.transport.Body;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonNumberTest {
  private static JsonNumber number(String text) {
    return new JsonCursor(Body.of(text.getBytes(US_ASCII))).number();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "-0",
        "1",
        "-1",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "999999999999999999",
        "1000000000000000000",
        "-1000000000000000000"
      })
  void everySigned64BitIntegerIsExact(String text) {
    assertThat(number(text).isLong()).isTrue();
    assertThat(number(text).toLong()).isEqualTo(Long.parseLong(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "1.0",
        "1e3",
        "99999999999999999999",
        "100000000000000000000000",
        "NaN"
      })
  void whatIsNoSigned64BitIntegerSaysSo(String text) {
    assertThat(number(text).isLong()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2.0",
        "-2.0",
        "2e3",
        "1.5e1",
        "2000e-3",
        "0.0",
        "-0.0e7",
        "0e-400",
        "1e18",
        "9007199254740993.0",
        "922337203685477580.7e1",
        "-9.22337203685477580e18"
      })
  void aFloatThatIsWholeCanBeTakenForAnInteger(String text) {
    JsonNumber number = number(text);
    assertThat(number.isLong()).isFalse();
    number.dropFraction();
    assertThat(number.isLong()).isTrue();
    assertThat(number.toLong()).isEqualTo(new BigDecimal(text).longValueExact());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.5",
        "1e-1",
        "0.1e20",
        "1e19",
        "-1e19",
        "1e99999",
        "1e-99999",
        "NaN",
        "-Infinity"
      })
  void whatIsNoWholeNumberOfItsWidthStaysWhatItIs(String text) {
    JsonNumber number = number(text);
    number.dropFraction();
    assertThat(number.isLong()).isFalse();
  }

  @Test
  void wholeFloatsMayNeedAll64Bits() {
    JsonNumber number = number("1.0e19");
    number.dropFraction();
    assertThat(number.isUnsignedLong()).isTrue();
    assertThat(Long.toUnsignedString(number.toUnsignedLong())).isEqualTo("10000000000000000000");
    JsonNumber larger = number("2e19");
    larger.dropFraction();
    assertThat(larger.isUnsignedLong()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0", "-0", "9223372036854775808", "18446744073709551615", "10000000000000000000"})
  void everyUnsigned64BitIntegerIsExact(String text) {
    assertThat(number(text).isUnsignedLong()).isTrue();
    assertThat(Long.toUnsignedString(number(text).toUnsignedLong()))
        .isEqualTo(new BigInteger(text).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "18446744073709551616",
        "28446744073709551615",
        "99999999999999999999",
        "1.0"
      })
  void whatIsNoUnsigned64BitIntegerSaysSo(String text) {
    assertThat(number(text).isUnsignedLong()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.1",
        "-0.0",
        "1e22",
        "1e23",
        "123456789012345678",
        "5e-324",
        "1.7976931348623157e308",
        "2.2250738585072011e-308",
        "0.000001",
        "3.14159274",
        "16777217",
        "1e-7"
      })
  void floatsAreTheNearestOnesOfTheirWidth(String text) {
    assertThat(number(text).toDouble()).isEqualTo(Double.parseDouble(text));
    assertThat(number(text).toFloat()).isEqualTo(Float.parseFloat(text));
  }

  @Test
  void aFloatIsNotRoundedTwice() {
    // Just above the middle between two floats, by less than a double can tell.
    String text = "1.00000005960464477540";
    assertThat(number(text).toFloat()).isEqualTo(Float.parseFloat(text));
    assertThat((float) Double.parseDouble(text)).isNotEqualTo(Float.parseFloat(text));
  }

  @Test
  void randomNumbersAgreeWithTheJdkInEveryForm() {
    var random = new Random(42);
    for (int i = 0; i < 200_000; i++) {
      String text = randomNumber(random);
      double wanted = Double.parseDouble(text);
      if (Double.isInfinite(wanted)) {
        continue;
      }
      assertThat(number(text).toDouble()).as(text).isEqualTo(wanted);
      assertThat(number(text).toFloat()).as(text).isEqualTo(Float.parseFloat(text));
    }
  }

  private static String randomNumber(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> Float.toString(Float.intBitsToFloat(random.nextInt() & 0x7F7F_FFFF));
      case 1 ->
          Double.toString(Double.longBitsToDouble(random.nextLong() & 0x7FEF_FFFF_FFFF_FFFFL));
      case 2 -> BigDecimal.valueOf(random.nextLong(), random.nextInt(40)).toString();
      default ->
          random.nextInt(1000) + "." + random.nextInt(100_000) + "e" + (random.nextInt(60) - 30);
    };
  }

  @Test
  void theBareWordsAreReadWithTheirSigns() {
    assertThat(number("NaN").toDouble()).isNaN();
    assertThat(number("-Infinity").toDouble()).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(number("Inf").toFloat()).isEqualTo(Float.POSITIVE_INFINITY);
  }

  @Test
  void aNumberBeyondFloatIsInfiniteAsAFloatAndExactAsADouble() {
    assertThat(number("1e39").toFloat()).isEqualTo(Float.POSITIVE_INFINITY);
    assertThat(number("1e39").toDouble()).isEqualTo(1e39);
  }
}
