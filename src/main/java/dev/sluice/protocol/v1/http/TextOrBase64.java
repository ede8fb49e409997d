package dev.sluice.protocol.v1.http;

import dev.sluice.protocol.codec.JsonTensors.BytesForm;
import dev.sluice.tensor.BytesElements;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Writes byte strings as text where they are text, and as base64 where the answer would not be JSON
 * otherwise.
 */
final class TextOrBase64 {
  static final BytesForm FORM =
      (element, out) ->
          (isText(element) ? BytesForm.TEXT : BytesForm.BASE64_OBJECT).write(element, out);

  private TextOrBase64() {}

  private static boolean isText(BytesElements element) {
    ByteBuffer bytes = element.data().asSlice(element.offset(), element.length()).asByteBuffer();
    if (isAscii(bytes)) {
      return true;
    }
    try {
      StandardCharsets.UTF_8.newDecoder().decode(bytes);
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  private static boolean isAscii(ByteBuffer bytes) {
    for (int i = 0; i < bytes.limit(); i++) {
      if (bytes.get(i) < 0) {
        return false;
      }
    }
    return true;
  }
}
