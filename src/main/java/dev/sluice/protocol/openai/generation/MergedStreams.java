package dev.sluice.protocol.openai.generation;

import dev.sluice.transport.ClientStream;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One stream to a client that several streams write to, each for itself. It ends well when all of
 * them have, and fails with the first that does. Of the call's event loop.
 */
final class MergedStreams implements ClientStream {
  private final ClientStream client;
  private final Runnable ending;
  private final Runnable leave;
  private final List<Runnable> waiting = new ArrayList<>();
  private int open;

  /**
   * @param streams how many there are
   * @param ending called when all have ended well, to end the client's
   * @param leave ends the others when one has failed
   */
  MergedStreams(ClientStream client, int streams, Runnable ending, Runnable leave) {
    this.client = client;
    this.open = streams;
    this.ending = ending;
    this.leave = leave;
  }

  @Override
  public boolean isWriteQueueFull() {
    return client.isWriteQueueFull();
  }

  /** Each stream has one action that waits. */
  @Override
  public void onWritable(Runnable action) {
    waiting.add(action);
    if (waiting.size() == 1) {
      client.onWritable(this::resume);
    }
  }

  private void resume() {
    List<Runnable> actions = List.copyOf(waiting);
    waiting.clear();
    actions.forEach(Runnable::run);
  }

  /** A piece may be empty: of a response that says nothing yet. */
  @Override
  public void write(Buffer piece) {
    if (open > 0 && piece.length() > 0) {
      client.write(piece);
    }
  }

  @Override
  public void end() {
    if (open > 0) {
      open--;
      if (open == 0) {
        ending.run();
      }
    }
  }

  @Override
  public void fail(Throwable failure) {
    if (open > 0) {
      open = 0;
      leave.run();
      client.fail(failure);
    }
  }
}
