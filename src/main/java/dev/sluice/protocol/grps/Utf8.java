package dev.sluice.protocol.grps;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.BytesElements;
import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Tells text from other bytes: grps strings must be UTF-8, BYTES elements need not. */
public final class Utf8 {
  private Utf8() {}

  /** Returns whether the element that the walk stands on is UTF-8. */
  public static boolean isValid(BytesElements element) {
    return isValid(element.data().asSlice(element.offset(), element.length()));
  }

  /** Returns whether bytes are UTF-8. */
  public static boolean isValid(Body bytes) {
    return isValid(bytes.segment());
  }

  static boolean isValid(MemorySegment bytes) {
    for (long i = 0; i < bytes.byteSize(); i++) {
      if (bytes.get(JAVA_BYTE, i) < 0) {
        return decodes(bytes);
      }
    }
    return true;
  }

  private static boolean decodes(MemorySegment bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(bytes.asByteBuffer());
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /**
   * Requires that the element that the walk stands on is UTF-8.
   *
   * @param output the name of the output it belongs to
   */
  public static void require(BytesElements element, String output) {
    if (!isValid(element)) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "output "
              + output
              + " holds bytes that are not UTF-8, which DT_STRING cannot carry; ask with gmap or"
              + " application/octet-stream");
    }
  }
}
