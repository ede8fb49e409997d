package dev.sluice.runtime.isolation;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that runs one session of a model, as the server sees it. Its end closes the pipe that
 * answers come through, and the end of the server the one that orders go through, whatever the
 * reason: so neither waits for the other for ever.
 *
 * <p>Owner: the session. One thread sends requests; {@link #sendWithoutReply} and {@link #kill} are
 * for any.
 */
final class PeerProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerProcess.class);

  /** Time that a process without further requests may take to exit. */
  private static final long ENDING_MILLIS = 2_000;

  private static final Duration SOON = Duration.ofSeconds(1);

  private final ModelId model;
  private final Process process;
  private final OutputStream orders;
  private final InputStream replies;
  private final ProcessLog log;
  private final Thread logging;
  private final ProcessMessageReader reply = new ProcessMessageReader();
  private final CompletableFuture<String> ended = new CompletableFuture<>();
  private volatile @Nullable String killed;
  private volatile boolean closed;

  private PeerProcess(ModelId model, Process process) {
    this.model = model;
    this.process = process;
    this.orders = process.getOutputStream();
    this.replies = process.getInputStream();
    this.log = new ProcessLog(model, process.pid(), process.getErrorStream());
    this.logging = Thread.ofPlatform().daemon().name("log of process " + process.pid()).start(log);
    var _ = process.onExit().thenRun(this::end);
  }

  /**
   * Starts a process.
   *
   * @throws InferenceException with UNAVAILABLE if the system cannot
   */
  static PeerProcess start(ModelId model, ProcessLauncher launcher) {
    try {
      return new PeerProcess(model, launcher.start());
    } catch (IOException e) {
      throw new InferenceException(
          ErrorCode.UNAVAILABLE,
          "model '" + model + "': its process cannot be started: " + e.getMessage(),
          e);
    }
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Completes with the reason when the process has ended. */
  CompletionStage<String> ended() {
    return ended;
  }

  /** Reads the fields of a reply. */
  interface Decoder<T> {
    /**
     * @param kind as {@link ProcessReply} has it, but not FAILED
     * @throws RuntimeException other than {@link InferenceException} if it makes no sense
     */
    T read(byte kind, ProcessMessageReader reply);
  }

  /**
   * Gives an order and waits for the reply. A process that answers with something that makes no
   * sense is killed: nothing that it has said can be relied on.
   *
   * @param decoder reads the reply while it is there
   * @throws InferenceException with the code of a reply that says FAILED, or UNAVAILABLE if the
   *     process has ended
   */
  <T> T ask(Consumer<ProcessMessageWriter> order, ProcessMessageWriter writer, Decoder<T> decoder) {
    byte kind;
    try {
      order.accept(writer);
      send(writer);
      kind = reply.receive(replies);
    } catch (IOException _) {
      throw unavailable();
    }
    try {
      if (kind == ProcessReply.FAILED) {
        throw failure();
      }
      return decoder.read(kind, reply);
    } catch (InferenceException e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.debug("the reply of the process of {} makes no sense", model, e);
      kill("it answered with something that makes no sense");
      throw unavailable();
    }
  }

  /** The same for an order whose reply has no fields. */
  void ask(Consumer<ProcessMessageWriter> order, ProcessMessageWriter writer) {
    byte _ =
        ask(
            order,
            writer,
            (kind, _) -> {
              ProcessReply.requireDone(kind);
              return kind;
            });
  }

  private InferenceException failure() {
    ErrorCode code = ErrorCode.valueOf(reply.text());
    String text = reply.text();
    return reply.flag()
        ? InferenceException.unprovenModel(code, text)
        : new InferenceException(code, text);
  }

  /** Sends an order that has no reply. The next request finds out whether the process has ended. */
  void sendWithoutReply(ProcessMessageWriter order) {
    try {
      send(order);
    } catch (IOException e) {
      LOG.debug("the process of {} takes no orders", model, e);
    }
  }

  private void send(ProcessMessageWriter order) throws IOException {
    synchronized (orders) {
      order.send(orders);
    }
  }

  /** Ends the process at once. */
  void kill(String why) {
    if (killed == null) {
      killed = why;
    }
    process.destroyForcibly();
  }

  /** Returns the error of a run without an answer: the process exited during it. */
  InferenceException unavailable() {
    String why = awaitEnd();
    return InferenceException.unavailable(
        "model '" + model + "': " + why + "; it is being started again; try again later", SOON);
  }

  /** Returns how it ended, since it takes no orders or gives no replies. */
  private String awaitEnd() {
    try {
      if (!process.waitFor(ENDING_MILLIS, TimeUnit.MILLISECONDS)) {
        kill("it closed its pipe");
        process.waitFor();
      }
      // Its last words may name the signal.
      logging.join(ENDING_MILLIS);
    } catch (InterruptedException e) {
      kill("the server stopped");
      Thread.currentThread().interrupt();
    }
    end();
    return ended.getNow("its process was ended");
  }

  private void end() {
    if (!process.isAlive()) {
      String why = killed == null ? howItEnded() : "its process was ended: " + killed;
      if (ended.complete(why) && !closed) {
        LOG.atWarn()
            .addKeyValue("model", model)
            .addKeyValue("pid", process.pid())
            .addKeyValue("reason", why)
            .log("the process of a model has ended");
      }
    }
  }

  private String howItEnded() {
    String crash = log.crash();
    return "its process ended with "
        + (crash.isEmpty() ? ProcessExit.text(process.exitValue()) : "a crash: " + crash);
  }

  /** Ends the process, which has nothing under way. Blocks until it has ended. */
  @Override
  public void close() {
    closed = true;
    try {
      orders.close();
    } catch (IOException e) {
      LOG.debug("the process of {} takes no orders", model, e);
    }
    try {
      if (!process.waitFor(ENDING_MILLIS, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        process.waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
