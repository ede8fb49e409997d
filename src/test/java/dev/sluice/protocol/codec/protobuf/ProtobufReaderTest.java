package dev.sluice.protocol.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.transport.Body;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtobufReaderTest {
  private static Body body(int... bytes) {
    byte[] array = new byte[bytes.length + 2];
    for (int i = 0; i < bytes.length; i++) {
      array[i + 1] = (byte) bytes[i];
    }
    return new Body(array, 1, bytes.length);
  }

  @Test
  void aFieldIsAPartOfItsMessage() {
    Body message = body(0x0A, 2, 5, 6, 0x10, 1);
    var in = new ProtobufReader(message);
    assertThat(in.tag()).isEqualTo(ProtobufTag.delimited(1));
    Body field = in.bytes();
    assertThat(field.bytes()).isSameAs(message.bytes());
    assertThat(field.offset()).isEqualTo(3);
    assertThat(field.length()).isEqualTo(2);
    assertThat(in.position()).isEqualTo(4);
  }

  @Test
  void aMessageInAMessageEndsBeforeTheFieldsBehindIt() {
    var in = new ProtobufReader(body(0x0A, 2, 0x08, 9, 0x10, 1));
    in.tag();
    long outer = in.enter();
    assertThat(in.tag()).isEqualTo(1 << 3);
    assertThat(in.varint()).isEqualTo(9);
    assertThat(in.tag()).isZero();
    in.leave(outer);
    assertThat(in.tag()).isEqualTo(2 << 3);
  }

  @Test
  void nothingIsReadBeyondTheEndOfTheInnermostMessage() {
    var in = new ProtobufReader(body(0x0A, 1, 0x80, 0x01));
    in.tag();
    in.enter();
    assertThatThrownBy(in::varint)
        .isInstanceOf(ProtobufException.class)
        .hasMessage("a field goes beyond the end");
  }

  @ParameterizedTest
  @CsvSource({
    "0A05, 'a field of 5 bytes goes beyond the end, 0 bytes are left'",
    "0AFFFFFFFF0F00, 'a field of 4294967295 bytes goes beyond the end, 1 bytes are left'",
    "0DFFFFFF, 'a field goes beyond the end'",
    "08FFFFFFFFFFFFFFFFFFFF01, 'a number has more than 64 bits'",
    "00, 'a field has the number 0'",
    "0C, 'a group ends that has not begun'",
    "0B14, 'a group ends that has not begun'",
    "0B0800, 'a field goes beyond the end'",
    "0E, 'a field has the form 6'"
  })
  void whatIsNoProtobufIsNamed(String hex, String reason) {
    var in = new ProtobufReader(Body.of(java.util.HexFormat.of().parseHex(hex)));
    assertThatThrownBy(
            () -> {
              for (int tag = in.tag(); tag != 0; tag = in.tag()) {
                in.skip(tag);
              }
            })
        .isInstanceOf(ProtobufException.class)
        .hasMessage(reason);
  }

  @Test
  void groupsAreSkippedAHundredDeepAndNotDeeper() {
    assertThat(skipsGroups(100)).isTrue();
    assertThat(skipsGroups(101)).isFalse();
  }

  private static boolean skipsGroups(int depth) {
    int[] bytes = new int[2 * depth];
    for (int i = 0; i < depth; i++) {
      bytes[i] = 0x0B;
      bytes[depth + i] = 0x0C;
    }
    var in = new ProtobufReader(body(bytes));
    try {
      in.skip(in.tag());
      return in.atEnd();
    } catch (ProtobufException e) {
      return false;
    }
  }

  @Test
  void aTextThatIsNotUtf8IsRefusedAndTheReplacementCharacterIsNone() {
    assertThat(text(0xEF, 0xBF, 0xBD, 'x')).isEqualTo("\uFFFDx");
    assertThatThrownBy(() -> text(0xC0, 0x80)).hasMessage("a text is not UTF-8");
    assertThatThrownBy(() -> text(0xED, 0xA0, 0x80)).hasMessage("a text is not UTF-8");
  }

  private static String text(int... bytes) {
    int[] field = new int[bytes.length + 1];
    field[0] = bytes.length;
    System.arraycopy(bytes, 0, field, 1, bytes.length);
    return new ProtobufReader(body(field)).text();
  }

  @Test
  void nativeMemoryIsReadByOffsets() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data =
          arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[] {9, 9, 0x15, 0, 0, (byte) 0x80, 63});
      var in = new ProtobufReader(data);
      in.seek(2, 7);
      assertThat(in.tag()).isEqualTo(2 << 3 | ProtobufTag.FIXED32);
      assertThat(Float.intBitsToFloat(in.fixed32())).isEqualTo(1f);
      assertThat(in.position()).isEqualTo(in.end()).isEqualTo(7);
    }
  }
}
