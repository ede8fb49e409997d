package dev.sluice.protocol.grps;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.Utf8Bytes;
import dev.sluice.tensor.BytesElements;
import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;

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
    return Utf8Bytes.invalidAt(bytes) < 0;
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
