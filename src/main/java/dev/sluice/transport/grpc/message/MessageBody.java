package dev.sluice.transport.grpc.message;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.connection.RequestMemory;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Body of a unary call as it arrives: its bytes within the limits, and the memory that they take.
 * Of the connection's event loop.
 *
 * <p>Memory for a message is reserved as soon as its frame announces its size. If there is none,
 * the source is paused until there is. A large message lands in native memory, where its tensor
 * stays: zero-copy from there on.
 */
public final class MessageBody {
  /** Factor that base64 and framing may add to a message of the largest size. */
  static final double TEXT_RATIO = 1.5;

  /** Source of a body's pieces. */
  public interface Source {
    /** Reads no more than is on its way already. */
    void pause();

    /** Reads on. */
    void resume();
  }

  /** Call that the body belongs to. */
  public interface Owner {
    /** Called when the body has waited for memory and goes on; it may be here as a whole. */
    void onMemory();

    /** Called when there was no memory for the body. */
    void onNoMemory(InferenceException why);
  }

  private final GrpcMessageReader reader;
  private final boolean text;
  private final List<int[]> tensorPaths;
  private final ListenerContext context;
  private final MemoryAccount memory;
  private final Source source;
  private final Owner owner;
  private final ByteCollector collected = new ByteCollector();
  private RequestMemory.@Nullable Wait wait;
  private boolean reserved;
  private boolean refused;
  private boolean whole;
  private long announced;

  /**
   * @param text whether it is gRPC-Web's text form, whose frame is not known before its end
   * @param tensorPaths see {@code GrpcMethod#tensorPaths}
   * @param memory the call's account, which is charged
   * @param source is paused while there is no memory for the message
   */
  public MessageBody(
      GrpcMessageReader reader,
      boolean text,
      List<int[]> tensorPaths,
      ListenerContext context,
      MemoryAccount memory,
      Source source,
      Owner owner) {
    this.reader = reader;
    this.text = text;
    this.tensorPaths = tensorPaths;
    this.context = context;
    this.memory = memory;
    this.source = source;
    this.owner = owner;
  }

  /**
   * Takes a piece of the body, which stays the caller's. The owner may be notified meanwhile that
   * there is no memory.
   *
   * @throws InferenceException if the body is longer than it may be, or there is no memory for it
   */
  public void take(ByteBuf piece) {
    if (collected.size() == 0) {
      prepare(piece);
    }
    if (!refused) {
      accept(piece.readableBytes());
      collected.addView(piece);
    }
  }

  private void accept(int more) {
    long size = collected.size() + (long) more;
    long most = reader.maxMessage() + GrpcMessageReader.PREFIX;
    if (size > (text ? (long) (most * TEXT_RATIO) : most)) {
      throw reader.tooLarge(size - GrpcMessageReader.PREFIX);
    }
    if (!collected.fits(more)) {
      throw GrpcMessageReader.wrongLength(announced, size - GrpcMessageReader.PREFIX);
    }
    if (!reserved || size > announced + GrpcMessageReader.PREFIX) {
      holdMore(size, more);
    }
  }

  /** Counts a piece for which no memory was reserved beforehand. */
  private void holdMore(long size, int more) {
    // What comes while the call waits is a part of a large message, and leaves small ones their
    // part.
    boolean free = wait == null || memory.budget().free(Long.MAX_VALUE) >= more;
    if (!free || !RequestMemory.tryHold(memory, size, more)) {
      throw busy(more);
    }
  }

  private InferenceException busy(long bytes) {
    return context.memory().busy(memory.refusal(Kind.BODY, bytes));
  }

  /** Reserves memory for the message that a frame's head announces. */
  private void prepare(ByteBuf first) {
    if (text || first.readableBytes() < GrpcMessageReader.PREFIX) {
      return;
    }
    announced = first.getUnsignedInt(first.readerIndex() + 1);
    long size = announced + GrpcMessageReader.PREFIX;
    if (announced > reader.maxMessage()) {
      return;
    }
    GrpcMessageReader.requireFits(size, memory.budget());
    collected.expect(size);
    if (RequestMemory.tryHold(memory, size, size)) {
      reserved = true;
      land(first);
    } else {
      await(size);
    }
  }

  private void land(ByteBuf first) {
    if (collected.isLarge() && first.getByte(first.readerIndex()) == 0) {
      Body message = Buffers.behind(first, GrpcMessageReader.PREFIX);
      int tensorAt = PartialFieldLocator.find(message, tensorPaths);
      if (tensorAt >= 0) {
        collected.land(GrpcMessageReader.PREFIX + (long) tensorAt);
        // Native memory is counted where it is made.
        memory.moveToTensor(Kind.BODY);
      }
    }
  }

  /** Reads no more until there is memory for the whole message, of which a part may be here. */
  private void await(long size) {
    source.pause();
    wait =
        context
            .memory()
            .await(
                memory.share(),
                context.vertx(),
                () -> memory.tryCharge(Kind.BODY, size - memory.held(Kind.BODY)),
                succeeded -> waited(succeeded, size));
  }

  private void waited(boolean succeeded, long size) {
    wait = null;
    reserved = succeeded;
    if (!succeeded) {
      refused = true;
      owner.onNoMemory(busy(size));
    }
    source.resume();
    owner.onMemory();
  }

  /** Returns whether the body waits for memory. */
  public boolean isWaiting() {
    return wait != null;
  }

  /** Returns whether nothing of the body has arrived, and its end has not either. */
  public boolean isAwaited() {
    return !whole && collected.size() == 0;
  }

  /**
   * Records that the body is whole, and is read from now on.
   *
   * @return the bytes that {@link #join} copies
   */
  public long complete() {
    whole = true;
    return collected.joinedBytes();
  }

  /** Returns the whole body, for the caller to close. Any thread, if it copies much. */
  public Body join() {
    return collected.toBody();
  }

  /**
   * Frees what has arrived, unless the body is whole: then it is freed by who reads it. What is
   * still to come is read and dropped: kept back, it would take the window of others.
   */
  public void forget() {
    if (wait != null) {
      wait.cancel();
      wait = null;
      source.resume();
    }
    if (!whole) {
      collected.clear();
      memory.releaseAll(Kind.BODY);
    }
  }
}
