package dev.sluice.transport.netty.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameWriter;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/**
 * The flow control of what a connection's client sends: Netty's own, which also tells when bytes
 * were consumed, and passes over the DATA frames of streams that were reset. On the connection's
 * event loop.
 */
final class ReceiveFlowController implements Http2LocalFlowController {
  /**
   * A stream that no client can have: Netty resets the stream that an exception names, and passes
   * over no frame without one.
   */
  static final int NO_STREAM = Integer.MAX_VALUE - 1;

  /** Bytes of a frame's head, without which nothing would limit empty ones. */
  private static final int FRAME = 9;

  /** Ignored frames in a second: more than a window of frames of a hundred bytes. */
  private static final int MOST_LATE = 50_000;

  /** Windows of a connection that are expected at most, however many streams are reset. */
  private static final int MOST_WINDOWS = 4;

  @SuppressWarnings("StaticAssignmentOfThrowable") // Its stack says nothing, and would cost much.
  private static final Http2Exception IGNORED =
      Http2Exception.streamError(NO_STREAM, Http2Error.NO_ERROR, "a frame of a reset stream");

  private final Http2Connection connection;
  private final Http2LocalFlowController real;
  private final FrameFlood lateFrames = new FrameFlood("late DATA", MOST_LATE, FrameFlood.SECOND);
  private Runnable whenConsumed = () -> {};

  /** Bytes of reset streams that may be on their way. */
  private long late;

  private ReceiveFlowController(Http2Connection connection) {
    this.connection = connection;
    this.real = connection.local().flowController();
  }

  /** Returns the one of a connection that has just been opened, which gets it at the first call. */
  static ReceiveFlowController of(Http2Connection connection) {
    if (connection.local().flowController() instanceof ReceiveFlowController known) {
      return known;
    }
    var added = new ReceiveFlowController(connection);
    connection.local().flowController(added);
    return added;
  }

  /** Has an action run when bytes were consumed: after each DATA frame, of which none may be. */
  void whenConsumed(Runnable action) {
    whenConsumed = action;
  }

  /** Expects a window of DATA of a stream that was reset now. */
  void expectLate() {
    long most = initialWindowSize(connection.connectionStream());
    late = Math.min(late + initialWindowSize() + FRAME, MOST_WINDOWS * most);
  }

  @Override
  public boolean consumeBytes(@Nullable Http2Stream stream, int bytes) throws Http2Exception {
    boolean updated = real.consumeBytes(stream, bytes);
    whenConsumed.run();
    return updated;
  }

  /**
   * @param stream null if there is none any more
   */
  @Override
  public void receiveFlowControlledFrame(
      @Nullable Http2Stream stream, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    // The connection's window is given back at once where there is no stream.
    real.receiveFlowControlledFrame(stream, data, padding, endOfStream);
    if (stream == null && late > 0) {
      late -= FRAME + data.readableBytes() + padding;
      lateFrames.count();
      throw IGNORED;
    }
  }

  @Override
  public int unconsumedBytes(Http2Stream stream) {
    return real.unconsumedBytes(stream);
  }

  @Override
  public Http2LocalFlowController frameWriter(Http2FrameWriter writer) {
    real.frameWriter(writer);
    return this;
  }

  @Override
  public void channelHandlerContext(ChannelHandlerContext ctx) throws Http2Exception {
    real.channelHandlerContext(ctx);
  }

  @Override
  public void initialWindowSize(int size) throws Http2Exception {
    real.initialWindowSize(size);
  }

  @Override
  public int initialWindowSize() {
    return real.initialWindowSize();
  }

  @Override
  public int initialWindowSize(Http2Stream stream) {
    return real.initialWindowSize(stream);
  }

  @Override
  public int windowSize(Http2Stream stream) {
    return real.windowSize(stream);
  }

  @Override
  public void incrementWindowSize(Http2Stream stream, int delta) throws Http2Exception {
    real.incrementWindowSize(stream, delta);
  }
}
