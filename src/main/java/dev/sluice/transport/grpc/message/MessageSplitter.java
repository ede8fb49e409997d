package dev.sluice.transport.grpc.message;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a call's body, as it arrives, into the frames of its messages.
 *
 * <p>Memory: a frame's bytes are charged to the call before they are collected, so that an
 * announced length costs nothing.
 */
public final class MessageSplitter {
  private static final Buffer NOTHING = Buffer.buffer(0);

  private final GrpcMessageReader reader;
  private final MemoryAccount memory;
  private boolean starved;

  /** Bytes that have arrived and belong to no complete frame yet. */
  private Buffer input = NOTHING;

  private @Nullable ByteCollector frame;
  private long frameSize;

  /**
   * @param memory whose memory frames are, until {@link #taken}
   */
  public MessageSplitter(GrpcMessageReader reader, MemoryAccount memory) {
    this.memory = memory;
    this.reader = reader;
  }

  /** Adds a piece of the body. */
  public void add(Buffer piece) {
    input = input.length() == 0 ? piece : input.copy().appendBuffer(piece);
  }

  /** Returns whether all that has arrived was cut. */
  public boolean isEmpty() {
    return frame == null && input.length() == 0;
  }

  /**
   * Returns the next frame, prefix and all, if it has arrived as a whole.
   *
   * @throws InferenceException if it announces more bytes than a message may have
   */
  public @Nullable Body next() {
    if (frame == null && !begin()) {
      return null;
    }
    ByteCollector collected = frame;
    if (collected == null) {
      return null;
    }
    int part = (int) Math.min(frameSize - collected.size(), input.length());
    if (part > 0) {
      collected.add(input.slice(0, part));
      input = input.slice(part, input.length());
    }
    if (collected.size() < frameSize) {
      return null;
    }
    frame = null;
    return collected.toBody();
  }

  private boolean begin() {
    if (input.length() < GrpcMessageReader.PREFIX) {
      return false;
    }
    long announced = input.getUnsignedInt(1);
    if (announced > reader.maxMessage()) {
      throw reader.tooLarge(announced);
    }
    frameSize = announced + GrpcMessageReader.PREFIX;
    GrpcMessageReader.requireFits(frameSize, memory.budget());
    starved = !memory.tryCharge(Kind.BODY, frameSize);
    if (starved) {
      return false;
    }
    frame = new ByteCollector();
    frame.expect(frameSize);
    return true;
  }

  /** Bytes for which there is no memory, so that {@link #next} gives nothing; 0 if there is. */
  public long starved() {
    return starved ? frameSize : 0;
  }

  /** Tries to begin a frame for which there was no memory. */
  public boolean tryAgain() {
    return begin();
  }

  /** Called when a frame that {@link #next} gave is not needed any more. */
  public void taken(Body taken) {
    memory.release(Kind.BODY, taken.length());
    memory.releaseTensors();
  }

  /** Returns the error for a call that ends here. */
  public InferenceException cutOff() {
    return frame == null
        ? InferenceException.invalid(
            "the call ends after %d bytes of a message's head of %d"
                .formatted(input.length(), GrpcMessageReader.PREFIX))
        : GrpcMessageReader.wrongLength(
            frameSize - GrpcMessageReader.PREFIX, frame.size() - (long) GrpcMessageReader.PREFIX);
  }
}
