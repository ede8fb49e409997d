package dev.sluice.transport.grpc;

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
final class MessageSplitter {
  private static final Buffer NOTHING = Buffer.buffer(0);

  private final GrpcMessageReader reader;
  private final long maxMessage;
  private final MemoryAccount memory;
  private boolean starved;

  /** Bytes that have arrived and belong to no complete frame yet. */
  private Buffer input = NOTHING;

  private @Nullable ByteCollector frame;
  private long frameSize;

  /**
   * @param maxMessage bytes a message may have as it arrives
   * @param memory whose memory frames are, until {@link #taken}
   */
  MessageSplitter(GrpcMessageReader reader, long maxMessage, MemoryAccount memory) {
    this.memory = memory;
    this.reader = reader;
    this.maxMessage = maxMessage;
  }

  void add(Buffer piece) {
    input = input.length() == 0 ? piece : input.copy().appendBuffer(piece);
  }

  /** Returns whether all that has arrived was cut. */
  boolean isEmpty() {
    return frame == null && input.length() == 0;
  }

  /**
   * Returns the next frame, prefix and all, if it has arrived as a whole.
   *
   * @throws InferenceException if it announces more bytes than a message may have
   */
  @Nullable Body next() {
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
    if (input.length() < GrpcReply.PREFIX) {
      return false;
    }
    long announced = input.getUnsignedInt(1);
    if (announced > maxMessage) {
      throw reader.tooLarge(announced);
    }
    frameSize = announced + GrpcReply.PREFIX;
    if (frameSize > memory.budget().largestBody()) {
      throw UnaryCall.largerThanMemory(frameSize, memory.budget());
    }
    starved = !memory.tryCharge(Kind.BODY, frameSize);
    if (starved) {
      return false;
    }
    frame = new ByteCollector();
    frame.expect(frameSize);
    return true;
  }

  /** Bytes for which there is no memory, so that {@link #next} gives nothing; 0 if there is. */
  long starved() {
    return starved ? frameSize : 0;
  }

  /** Tries to begin a frame for which there was no memory. */
  boolean tryAgain() {
    return begin();
  }

  /** Called when a frame that {@link #next} gave is not needed any more. */
  void taken(Body taken) {
    memory.release(Kind.BODY, taken.length());
    memory.releaseTensors();
  }

  /** Returns the error for a call that ends here. */
  InferenceException cutOff() {
    return frame == null
        ? InferenceException.invalid(
            "the call ends after %d bytes of a message's head of %d"
                .formatted(input.length(), GrpcReply.PREFIX))
        : GrpcMessageReader.wrongLength(
            frameSize - GrpcReply.PREFIX, frame.size() - (long) GrpcReply.PREFIX);
  }
}
