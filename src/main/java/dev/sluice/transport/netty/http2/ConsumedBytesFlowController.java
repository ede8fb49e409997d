package dev.sluice.transport.netty.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameWriter;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * The flow control of what a connection's client sends, which says when bytes were consumed: also
 * after each DATA frame, of which nothing may be.
 */
public final class ConsumedBytesFlowController implements Http2LocalFlowController {
  private final Http2LocalFlowController real;
  private final Runnable whenConsumed;

  /**
   * @param whenConsumed on the connection's event loop
   */
  ConsumedBytesFlowController(Http2LocalFlowController real, Runnable whenConsumed) {
    this.real = real;
    this.whenConsumed = whenConsumed;
  }

  @Override
  public boolean consumeBytes(Http2Stream stream, int bytes) throws Http2Exception {
    boolean updated = real.consumeBytes(stream, bytes);
    whenConsumed.run();
    return updated;
  }

  @Override
  public void receiveFlowControlledFrame(
      Http2Stream stream, ByteBuf data, int padding, boolean endOfStream) throws Http2Exception {
    real.receiveFlowControlledFrame(stream, data, padding, endOfStream);
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
