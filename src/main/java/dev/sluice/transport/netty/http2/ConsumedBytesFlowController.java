package dev.sluice.transport.netty.http2;

import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/** Says when bytes were consumed: also after each DATA frame, of which nothing may be. */
final class ConsumedBytesFlowController extends ForwardingFlowController {
  private final Runnable whenConsumed;

  /**
   * @param whenConsumed on the connection's event loop
   */
  ConsumedBytesFlowController(Http2LocalFlowController real, Runnable whenConsumed) {
    super(real);
    this.whenConsumed = whenConsumed;
  }

  @Override
  public boolean consumeBytes(@Nullable Http2Stream stream, int bytes) throws Http2Exception {
    boolean updated = super.consumeBytes(stream, bytes);
    whenConsumed.run();
    return updated;
  }
}
