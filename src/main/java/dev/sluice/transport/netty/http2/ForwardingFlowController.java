package dev.sluice.transport.netty.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameWriter;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/** The flow control of what a connection's client sends, of which subclasses change a part. */
abstract class ForwardingFlowController implements Http2LocalFlowController {
  private final Http2LocalFlowController real;

  ForwardingFlowController(Http2LocalFlowController real) {
    this.real = real;
  }

  @Override
  public boolean consumeBytes(@Nullable Http2Stream stream, int bytes) throws Http2Exception {
    return real.consumeBytes(stream, bytes);
  }

  /**
   * @param stream null if there is none any more
   */
  @Override
  public void receiveFlowControlledFrame(
      @Nullable Http2Stream stream, ByteBuf data, int padding, boolean endOfStream)
      throws Http2Exception {
    real.receiveFlowControlledFrame(stream, data, padding, endOfStream);
  }

  @Override
  public final int unconsumedBytes(Http2Stream stream) {
    return real.unconsumedBytes(stream);
  }

  @Override
  public final Http2LocalFlowController frameWriter(Http2FrameWriter writer) {
    real.frameWriter(writer);
    return this;
  }

  @Override
  public final void channelHandlerContext(ChannelHandlerContext ctx) throws Http2Exception {
    real.channelHandlerContext(ctx);
  }

  @Override
  public final void initialWindowSize(int size) throws Http2Exception {
    real.initialWindowSize(size);
  }

  @Override
  public final int initialWindowSize() {
    return real.initialWindowSize();
  }

  @Override
  public final int initialWindowSize(Http2Stream stream) {
    return real.initialWindowSize(stream);
  }

  @Override
  public final int windowSize(Http2Stream stream) {
    return real.windowSize(stream);
  }

  @Override
  public final void incrementWindowSize(Http2Stream stream, int delta) throws Http2Exception {
    real.incrementWindowSize(stream, delta);
  }
}
