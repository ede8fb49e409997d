package dev.sluice.transport.netty.http2;

import static io.netty.handler.codec.http2.Http2Exception.connectionError;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.concurrent.TimeUnit;

/**
 * Limits the rate of a kind of frames that cost a client next to nothing. Of one connection, on its
 * event loop.
 */
final class FrameFlood {
  static final long SECOND = 1_000_000_000;

  private final String what;
  private final int most;
  private final long nanos;
  private int seen;
  private long since = System.nanoTime();

  /**
   * @param what the kind, as the error names it
   * @param most frames that are allowed in a time
   * @param nanos that time
   */
  FrameFlood(String what, int most, long nanos) {
    this.what = what;
    this.most = most;
    this.nanos = nanos;
  }

  /**
   * Counts a frame.
   *
   * @throws Http2Exception that closes the connection if it is one too many
   */
  void count() throws Http2Exception {
    if (++seen > most) {
      long now = System.nanoTime();
      if (now - since < nanos) {
        throw connectionError(
            Http2Error.ENHANCE_YOUR_CALM,
            "more than %d %s frames in %d ms",
            most,
            what,
            TimeUnit.NANOSECONDS.toMillis(nanos));
      }
      since = now;
      seen = 1;
    }
  }
}
