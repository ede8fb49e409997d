package dev.sluice.protocol.oip.http.json;

import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;

/** Tells whether BYTES can be shown as JSON strings. */
public final class BytesText {
  private BytesText() {}

  /** Returns whether every element of a BYTES tensor is valid UTF-8. */
  public static boolean isText(Tensor tensor) {
    var elements = new BytesElements(tensor);
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    while (elements.next()) {
      MemorySegment element = elements.data().asSlice(elements.offset(), elements.length());
      if (!isAscii(element) && !isUtf8(element, decoder)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAscii(MemorySegment bytes) {
    for (long i = 0; i < bytes.byteSize(); i++) {
      if (bytes.get(ValueLayout.JAVA_BYTE, i) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isUtf8(MemorySegment bytes, CharsetDecoder decoder) {
    try {
      decoder.decode(bytes.asByteBuffer());
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
