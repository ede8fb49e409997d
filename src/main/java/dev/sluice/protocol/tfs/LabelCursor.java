package dev.sluice.protocol.tfs;

import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Walks labels, as UTF-8, without copying those that are text. Numbers are written in decimal; in
 * bytes that are no UTF-8 the replacement character stands for what is wrong; a model without
 * labels has empty ones without end.
 */
public final class LabelCursor {
  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  private final @Nullable Tensor tensor;
  private final @Nullable BytesElements texts;
  private long index = -1;
  private MemorySegment data = NOTHING;
  private long offset;
  private int length;

  LabelCursor(@Nullable Tensor tensor) {
    this.tensor = tensor;
    this.texts =
        tensor != null && tensor.type() == DataType.BYTES ? new BytesElements(tensor) : null;
  }

  /** Steps to the next label, which the caller knows to be there. */
  public void next() {
    index++;
    if (texts != null) {
      texts.next();
      text(texts);
    } else if (tensor != null) {
      heap(NumericElements.toText(tensor, index).getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Returns the memory that holds the label's bytes. */
  public MemorySegment data() {
    return data;
  }

  /** Returns the offset of the label's bytes. */
  public long offset() {
    return offset;
  }

  /** Returns the length of the label in bytes. */
  public int length() {
    return length;
  }

  private void text(BytesElements element) {
    if (isUtf8(element)) {
      data = element.data();
      offset = element.offset();
      length = element.length();
    } else {
      heap(element.toText().getBytes(StandardCharsets.UTF_8));
    }
  }

  private void heap(byte[] bytes) {
    data = MemorySegment.ofArray(bytes);
    offset = 0;
    length = bytes.length;
  }

  private static boolean isUtf8(BytesElements element) {
    ByteBuffer bytes = element.data().asSlice(element.offset(), element.length()).asByteBuffer();
    for (int i = 0; i < bytes.limit(); i++) {
      if (bytes.get(i) < 0) {
        return isDecodable(bytes);
      }
    }
    return true;
  }

  private static boolean isDecodable(ByteBuffer bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(bytes);
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
