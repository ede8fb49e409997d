package dev.sluice.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElementValueTest {
  @ParameterizedTest
  @CsvSource({
    "BOOL, 1, 01",
    "INT8, -1, ff",
    "UINT8, 255, ff",
    "INT16, -2, feff",
    "INT32, 258, 02010000",
    "UINT32, 4294967295, ffffffff",
    "INT64, -1, ffffffffffffffff",
    "FP16, 1, 003c",
    "BF16, 1, 803f",
    "FP32, -2, 000000c0",
    "FP64, 1, 000000000000f03f"
  })
  void numberLiesAsTheTypesElementsDo(DataType type, double number, String hex) {
    byte[] bytes =
        ElementValue.of(type, number).orElseThrow().bytes().toArray(ValueLayout.JAVA_BYTE);
    assertThat(java.util.HexFormat.of().formatHex(bytes)).isEqualTo(hex);
  }

  @ParameterizedTest
  @CsvSource({
    "BOOL, 2",
    "INT8, 128",
    "INT8, -129",
    "UINT8, -1",
    "UINT8, 256",
    "INT64, 0.5",
    "INT64, 1e18",
    "COMPLEX64, 0",
    "QINT8, 0"
  })
  void numberThatTheTypeHasNotIsNone(DataType type, double number) {
    assertThat(ElementValue.of(type, number)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"UINT8, 7", "INT32, 7", "INT32, 0"})
  void memoryIsFilledFromAPlaceOn(DataType type, double number) {
    ElementValue value = ElementValue.of(type, number).orElseThrow();
    MemorySegment memory = MemorySegment.ofArray(new byte[16]).fill((byte) 9);
    value.fill(memory, 4, 8);
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 3)).isEqualTo((byte) 9);
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 4)).isEqualTo((byte) number);
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 8)).isEqualTo((byte) number);
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 12)).isEqualTo((byte) 9);
  }
}
