package dev.sluice.protocol.openai.responses;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.GenerationReader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A text that comes in pieces, until it is written for the first time. It counts as memory of the
 * call. One thread at a time.
 */
final class CollectedText {
  private final JsonWriter pieces = new JsonWriter(128);
  private byte @Nullable [] whole;

  /** Adds a piece. */
  void append(String piece) {
    pieces.raw(GenerationReader.segment(piece));
  }

  /** Writes all as a string. */
  void writeString(JsonWriter out) {
    byte[] bytes = whole();
    out.string(MemorySegment.ofArray(bytes), 0, bytes.length);
  }

  /** Writes all as it is. */
  void writeRaw(JsonWriter out) {
    out.raw(MemorySegment.ofArray(whole()));
  }

  boolean isEmpty() {
    return pieces.size() == 0;
  }

  private byte[] whole() {
    if (whole == null) {
      whole = pieces.toBuffer().getBytes();
    }
    return whole;
  }
}
