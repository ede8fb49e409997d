package dev.sluice.testing;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Forwards connections to a port of this machine as they are, and keeps what went either way. Any
 * thread.
 */
public final class RecordingRelay implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 60;
  private static final String LOOPBACK = "127.0.0.1";

  private final Vertx vertx = Vertx.vertx();
  private final NetClient client = vertx.createNetClient();
  private final Queue<String> requests = new ConcurrentLinkedQueue<>();
  private final Queue<String> answers = new ConcurrentLinkedQueue<>();
  private final int target;
  private final NetServer server;

  /** Listens on a free port until it is closed. */
  public RecordingRelay(int target) {
    this.target = target;
    this.server =
        await(
            vertx
                .createNetServer()
                .connectHandler(this::connect)
                .listen(0, LOOPBACK)
                .toCompletionStage());
  }

  private void connect(NetSocket from) {
    from.pause();
    client
        .connect(target, LOOPBACK)
        .onSuccess(to -> {
          forward(from, to, requests);
          forward(to, from, answers);
          from.resume();
        })
        .onFailure(_ -> from.close());
  }

  private static void forward(NetSocket from, NetSocket to, Queue<String> record) {
    from.handler(bytes -> {
      record.add(text(bytes));
      to.write(bytes);
    });
    from.closeHandler(_ -> to.close());
  }

  private static String text(Buffer bytes) {
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  public int port() {
    return server.actualPort();
  }

  /** Returns what clients have sent. */
  public String requests() {
    return String.join("", requests);
  }

  /** Returns what the target has answered. */
  public String answers() {
    return String.join("", answers);
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    await(vertx.close().toCompletionStage());
  }
}
