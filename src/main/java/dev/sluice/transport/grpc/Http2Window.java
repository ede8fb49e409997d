package dev.sluice.transport.grpc;

import dev.sluice.transport.grpc.message.MessageBody;
import io.netty.handler.codec.http2.Http2Stream;

/**
 * The window of a call's stream: its client may send again what was taken, unless there is no
 * memory for it. On the connection's event loop.
 */
final class Http2Window implements MessageBody.Source {
  private final Http2Frames frames;
  private final Http2Stream stream;
  private boolean paused;
  private int kept;

  Http2Window(Http2Frames frames, Http2Stream stream) {
    this.frames = frames;
    this.stream = stream;
  }

  /**
   * Keeps what was taken out of the window while the call is paused.
   *
   * @return bytes that the client may send again at once
   */
  int taken(int bytes) {
    if (paused) {
      kept += bytes;
      frames.chargedByCall(bytes);
      return 0;
    }
    return bytes;
  }

  @Override
  public void pause() {
    paused = true;
  }

  @Override
  public void resume() {
    paused = false;
    int bytes = kept;
    forget();
    if (bytes > 0) {
      frames.giveWindow(stream, bytes);
    }
  }

  /**
   * Called when the stream is closed, and what was kept of its window returned to the connection.
   */
  void closed() {
    forget();
  }

  private void forget() {
    if (kept > 0) {
      frames.chargedByCall(-kept);
      kept = 0;
    }
  }
}
