package dev.sluice.transport.netty.http2;

import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.function.Consumer;

/** Tells of the streams of a connection that are no more. On the connection's event loop. */
final class StreamEnds extends Http2ConnectionAdapter {
  private final Consumer<Http2Stream> whenClosed;

  StreamEnds(Consumer<Http2Stream> whenClosed) {
    this.whenClosed = whenClosed;
  }

  @Override
  public void onStreamClosed(Http2Stream stream) {
    whenClosed.accept(stream);
  }
}
