package dev.sluice.protocol.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.protocol.codec.JsonTensors.BytesForm;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class JsonTensorsTest {
  private static final JsonMapper JACKSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  private static Tensor read(DataType type, Shape shape, String json) {
    var cursor = new JsonCursor(Body.of(json.getBytes(UTF_8)));
    try (var builder = new TensorBuilder(type, 0)) {
      cursor.beginArray();
      while (cursor.nextElement()) {
        assertThat(JsonElements.of(type).read(cursor, builder)).as(json).isTrue();
      }
      return builder.build(shape);
    }
  }

  private static String flat(Tensor tensor) {
    var out = new JsonWriter(64);
    new JsonTensors(tensor, out, BytesForm.TEXT).flat();
    return out.toBuffer().toString();
  }

  private static String nested(Tensor tensor) {
    var out = new JsonWriter(64);
    new JsonTensors(tensor, out, BytesForm.TEXT).nested();
    return out.toBuffer().toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          BOOL   | [true,false]
          UINT8  | [0,255]
          UINT16 | [0,65535]
          UINT32 | [0,4294967295]
          UINT64 | [0,18446744073709551615]
          INT8   | [-128,127]
          INT16  | [-32768,32767]
          INT32  | [-2147483648,2147483647]
          INT64  | [-9223372036854775808,9223372036854775807]
          FP16   | [0.5,-65504.0]
          BF16   | [0.5,3.0E38]
          FP32   | [0.1,3.4028235E38]
          FP64   | [0.1,4.9E-324]
          FP32   | [NaN,-Infinity]
          BYTES  | ["","grüße \\"quoted\\" \\u0001"]
          """)
  void everyTypeSurvivesTheRoundTrip(DataType type, String json) {
    try (Tensor tensor = read(type, Shape.of(2), json)) {
      if (type == DataType.BF16) {
        assertThat(flat(tensor)).startsWith("[0.5,");
      } else {
        assertThat(flat(tensor)).isEqualTo(json);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          BOOL   | 1
          BOOL   | "true"
          UINT8  | 256
          UINT8  | -1
          UINT16 | 65536
          UINT32 | 4294967296
          UINT64 | -1
          UINT64 | 18446744073709551616
          INT8   | 128
          INT16  | -32769
          INT32  | 2147483648
          INT32  | 1.0
          INT32  | 1e3
          INT64  | 9223372036854775808
          INT64  | null
          FP32   | "1"
          FP32   | true
          FP64   | [1]
          BYTES  | 1
          BYTES  | {}
          """)
  void aValueThatTheTypeCannotHoldIsRefusedAndLeftStanding(DataType type, String value) {
    var cursor = new JsonCursor(Body.of(("[" + value + "]").getBytes(UTF_8)));
    try (var builder = new TensorBuilder(type, 0)) {
      cursor.beginArray();
      cursor.nextElement();
      assertThat(JsonElements.of(type).read(cursor, builder)).isFalse();
      assertThat(builder.elements()).isZero();
      assertThat(cursor.position()).isEqualTo(1);
    }
  }

  @Test
  void nestingFollowsTheShapeDownToScalarsAndEmptyDimensions() {
    try (Tensor table = read(DataType.INT32, Shape.of(2, 3), "[1,2,3,4,5,6]");
        Tensor scalar = read(DataType.INT32, Shape.SCALAR, "[7]");
        Tensor empty = read(DataType.INT32, Shape.of(2, 0), "[]")) {
      assertThat(nested(table)).isEqualTo("[[1,2,3],[4,5,6]]");
      assertThat(nested(scalar)).isEqualTo("7");
      assertThat(nested(empty)).isEqualTo("[[],[]]");
    }
  }

  @Test
  void listsWithoutElementsTakeSpaceToo() {
    try (Tensor empty = read(DataType.FP32, Shape.of(10_000, 0), "[]")) {
      assertThat(JsonTensors.likelySize(empty))
          .isGreaterThanOrEqualTo(nested(empty).length())
          .isLessThan(40_000);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FP32", "FP64"})
  void everyFloatThatIsWrittenReadsBackToTheSameBitsInAnotherLibrary(DataType type)
      throws Exception {
    var random = new Random(7);
    int count = 20_000;
    try (Tensor tensor = Tensor.allocate(type, Shape.of(count))) {
      for (int i = 0; i < count; i++) {
        if (type == DataType.FP32) {
          tensor
              .data()
              .setAtIndex(
                  ValueLayout.JAVA_INT,
                  i,
                  Float.floatToIntBits(Float.intBitsToFloat(random.nextInt())));
        } else {
          tensor
              .data()
              .setAtIndex(
                  ValueLayout.JAVA_LONG,
                  i,
                  Double.doubleToLongBits(Double.longBitsToDouble(random.nextLong())));
        }
      }
      var parsed = JACKSON.readTree(flat(tensor));
      for (int i = 0; i < count; i++) {
        if (type == DataType.FP32) {
          Float wanted = tensor.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
          assertThat(Float.parseFloat(parsed.get(i).asText())).isEqualTo(wanted);
        } else {
          Double wanted = tensor.data().getAtIndex(ValueLayout.JAVA_DOUBLE, i);
          assertThat(parsed.get(i).asDouble()).isEqualTo(wanted);
        }
      }
    }
  }

  @Test
  void halfFloatsAreRoundedOnceAndToEven() {
    // 2049 lies in the middle of two FP16 values; a little more belongs to the upper one.
    assertThat(HalfFloats.fromFp16(HalfFloats.toFp16(2049))).isEqualTo(2048f);
    assertThat(HalfFloats.fromFp16(HalfFloats.toFp16(2049.0000000001))).isEqualTo(2050f);
    assertThat(HalfFloats.fromBf16(HalfFloats.toBf16(1.00390625))).isEqualTo(1f);
    assertThat(HalfFloats.fromBf16(HalfFloats.toBf16(1.0039062500001))).isEqualTo(1.0078125f);
    assertThat(HalfFloats.fromBf16(HalfFloats.toBf16(Double.NaN))).isNaN();
  }
}
