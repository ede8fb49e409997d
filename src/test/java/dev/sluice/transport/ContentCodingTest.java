package dev.sluice.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.tensor.MemoryExhausted;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentCodingTest {
  private static final long LIMIT = 1 << 20;

  private static byte[] gzip(byte[] plain) {
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  private static byte[] zlib(byte[] plain) {
    var bytes = new ByteArrayOutputStream();
    try (var zlib = new DeflaterOutputStream(bytes)) {
      zlib.write(plain);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static byte[] join(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  /** Not at the beginning of its array, as bodies may lie. */
  private static byte[] inflate(String coding, byte[] body) {
    byte[] around = join(new byte[3], body, new byte[5]);
    Body plain = ContentCoding.inflate(coding, new Body(around, 3, body.length), LIMIT);
    return Arrays.copyOfRange(plain.bytes(), plain.offset(), plain.end());
  }

  private static void assertDamaged(String coding, byte[] body, String why) {
    assertThatThrownBy(() -> inflate(coding, body))
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "the request body says it is " + coding + ", but cannot be decompressed: " + why)
        .extracting(failure -> ((InferenceException) failure).code())
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 16_384, 70_000, 1 << 20})
  void aBodyOfAnySizeComesBack(int size) {
    for (byte[] plain : new byte[][] {random(size), new byte[size]}) {
      assertThat(inflate("gzip", gzip(plain))).isEqualTo(plain);
      assertThat(inflate("X-GZip", gzip(plain))).isEqualTo(plain);
      assertThat(inflate("deflate", zlib(plain))).isEqualTo(plain);
      byte[] wrapped = zlib(plain);
      assertThat(inflate("deflate", Arrays.copyOfRange(wrapped, 2, wrapped.length - 4)))
          .isEqualTo(plain);
    }
  }

  @Test
  void membersOfGzipFollowEachOther() {
    byte[] first = random(20_000);
    byte[] second = random(30_000);
    byte[] none = gzip(new byte[0]);
    assertThat(inflate("gzip", join(gzip(first), none, gzip(second), none)))
        .isEqualTo(join(first, second));
    assertThat(inflate("gzip", join(none, none))).isEmpty();
  }

  @Test
  void headerWithAllItsFieldsIsSkipped() {
    byte[] plain = "hello".getBytes(US_ASCII);
    byte[] member = gzip(plain);
    byte[] head = {0x1F, (byte) 0x8B, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 0};
    byte[] fields = join(head, new byte[] {2, 0, 7, 7}, "name\0note\0".getBytes(US_ASCII));
    var sum = new CRC32();
    sum.update(fields);
    byte[] check = {(byte) sum.getValue(), (byte) (sum.getValue() >> 8)};
    byte[] rest = Arrays.copyOfRange(member, 10, member.length);
    assertThat(inflate("gzip", join(fields, check, rest))).isEqualTo(plain);
    byte[] wrong = {(byte) (check[0] ^ 1), check[1]};
    assertDamaged("gzip", join(fields, wrong, rest), "the checksum of its gzip header is wrong");
    assertDamaged("gzip", join(head, new byte[] {9, 9, 1}), "it ends too early");
    assertDamaged("gzip", join(head, new byte[] {0, 0}, random(9)), "it ends too early");
  }

  @Test
  void bodyThatIsCutAnywhereIsDamaged() {
    byte[] zipped = gzip(random(300));
    for (int length = 0; length < zipped.length; length++) {
      assertDamaged("gzip", Arrays.copyOf(zipped, length), "it ends too early");
    }
    byte[] deflated = zlib(random(300));
    for (int length = 0; length < deflated.length; length++) {
      assertDamaged("deflate", Arrays.copyOf(deflated, length), "it ends too early");
    }
  }

  @Test
  void bytesBehindTheEndAreNotPassedOver() {
    for (int more : new int[] {1, 8, 20, 40_000}) {
      byte[] rest = new byte[more];
      assertDamaged("gzip", join(gzip(random(100)), rest), "it has bytes behind its end: " + more);
      assertDamaged(
          "deflate", join(zlib(random(100)), rest), "it has bytes behind its end: " + more);
    }
    assertDamaged(
        "gzip", join(gzip(random(100)), new byte[] {0x1F, (byte) 0x8B, 8}), "it ends too early");
  }

  @Test
  void damageIsNamed() {
    byte[] member = gzip(random(100));
    byte[] sum = member.clone();
    sum[member.length - 8] ^= 1;
    assertDamaged("gzip", sum, "its checksum is wrong");
    byte[] length = member.clone();
    length[member.length - 4] ^= 1;
    assertDamaged("gzip", length, "its checksum is wrong");
    assertDamaged("gzip", "{\"instances\":[1]}".getBytes(US_ASCII), "it does not begin like gzip");
    byte[] reserved = member.clone();
    reserved[3] = (byte) 0x80;
    assertDamaged("gzip", reserved, "its gzip header is none that is known");
    byte[] block = member.clone();
    block[10] = 7;
    assertDamaged("gzip", block, "invalid block type");
  }

  @Test
  void presetDictionaryIsNotThere() {
    byte[] out = new byte[200];
    try (var deflater = new Deflater()) {
      deflater.setDictionary("hello".getBytes(US_ASCII));
      deflater.setInput("hello hello".getBytes(US_ASCII));
      deflater.finish();
      int size = deflater.deflate(out);
      assertDamaged("deflate", Arrays.copyOf(out, size), "it needs a preset dictionary");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"br", "zstd", "compress", "gzip, gzip", "gzip, deflate", "gzipped", "*"})
  void otherCodingsAreUnimplementedBeforeAnythingIsRead(String coding) {
    assertThatThrownBy(() -> inflate(coding, gzip(random(100))))
        .hasMessageContaining("'" + coding + "', wanted gzip, deflate or identity")
        .extracting(failure -> ((InferenceException) failure).code())
        .isEqualTo(ErrorCode.UNIMPLEMENTED);
  }

  @Test
  void noMoreIsHeldThanCountedWhateverTheBodySaysOfItsLength() {
    var budget = new MemoryBudget(4 << 20);
    byte[] bomb = gzip(new byte[3 << 20]);
    byte[] modest = bomb.clone();
    Arrays.fill(modest, bomb.length - 4, bomb.length, (byte) 0);
    for (byte[] body :
        new byte[][] {bomb, modest, join(gzip(new byte[1]), bomb), join(bomb, gzip(new byte[1]))}) {
      try (MemoryAccount account = budget.account()) {
        account.force(Kind.BODY, 3 << 19);
        assertThatThrownBy(
                () -> account.within(() -> ContentCoding.inflate("gzip", Body.of(body), 16 << 20)))
            .isInstanceOfAny(MemoryExhausted.class, InferenceException.class);
        assertThat(budget.held()).isLessThanOrEqualTo(4 << 20);
      }
      assertThat(budget.held()).isZero();
    }
  }
}
