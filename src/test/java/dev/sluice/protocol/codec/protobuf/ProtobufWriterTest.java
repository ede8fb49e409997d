package dev.sluice.protocol.codec.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtobufWriterTest {
  private interface Fields {
    /** Writes fields with protobuf's own writer. */
    void write(CodedOutputStream out) throws IOException;
  }

  private static byte[] wanted(Fields fields) throws IOException {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    fields.write(out);
    out.flush();
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, -1, Long.MIN_VALUE})
  void sizesAreThoseOfProtobufsOwnWriter(long value) throws IOException {
    byte[] wanted = wanted(out -> out.writeUInt64(5000, value));
    var exact = new ProtobufWriter(ProtobufWriter.numberSize(5000, value));
    exact.number(5000, value);
    assertThat(exact.array()).isEqualTo(wanted);
    assertThat(ProtobufWriter.varintSize(value))
        .isEqualTo(CodedOutputStream.computeUInt64SizeNoTag(value));
    assertThat(ProtobufWriter.fieldSize(16, 300))
        .isEqualTo(CodedOutputStream.computeByteArraySize(16, new byte[300]));
  }

  @Test
  void fieldsOfEveryFormAreThoseOfProtobufsOwnWriter() throws IOException {
    var nested = new ProtobufWriter().text(1, "ä").number(2, -7);
    var out = new ProtobufWriter();
    out.fixed(1, 0.5f).fixed(2, -0.25).message(3, nested).bytes(4, new byte[] {1, 2});
    out.bytes(5, MemorySegment.ofArray("native".getBytes(UTF_8)), 2, 3);
    assertThat(out.toByteArray())
        .isEqualTo(
            wanted(by -> {
              by.writeFloat(1, 0.5f);
              by.writeDouble(2, -0.25);
              by.writeByteArray(3, nested.toByteArray());
              by.writeByteArray(4, new byte[] {1, 2});
              by.writeByteArray(5, "tiv".getBytes(UTF_8));
            }));
  }

  @Test
  void growsWhenMoreIsWrittenThanWasMeasured() throws IOException {
    var out = new ProtobufWriter(1);
    for (int i = 0; i < 1000; i++) {
      out.number(1, i).bytes(2, new byte[i]);
    }
    assertThat(out.toBuffer().getBytes())
        .isEqualTo(
            wanted(by -> {
              for (int i = 0; i < 1000; i++) {
                by.writeUInt64(1, i);
                by.writeByteArray(2, new byte[i]);
              }
            }));
  }

  @Test
  void whatIsBeforeAnOffsetStays() {
    var out = new ProtobufWriter();
    out.seek(1000);
    out.raw(new byte[] {7});
    out.seek(998);
    out.raw(new byte[] {5, 6});
    out.seek(1001);
    assertThat(out.toByteArray()).hasSize(1001).endsWith(5, 6, 7);
  }
}
