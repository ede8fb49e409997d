package dev.sluice.runtime.isolation;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.RuntimeProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Two threads, one pipe
 *
 * The thread that reads an order carries it out, and the other one reads on meanwhile. So a run costs no change of threads,
 * and the end of the server, or an interruption, is noticed in the middle of one.
 */

/**
 * The process of a model, from the inside: does what the server says until its input ends, which is
 * when the server has closed it or is not there any more.
 */
public final class ModelProcess {
  private static final Logger LOG = LoggerFactory.getLogger(ModelProcess.class);

  private final InputStream orders;
  private final OutputStream replies;
  private final ServedSession session;
  private final ReentrantLock reading = new ReentrantLock();

  private ModelProcess(InputStream orders, OutputStream replies, List<RuntimeProvider> runtimes) {
    this.orders = orders;
    this.replies = replies;
    this.session = new ServedSession(runtimes);
  }

  /**
   * Serves one session to the server that started this process. Does not return.
   *
   * @param orders the standard input
   * @param runtimes that may be asked for, by name
   */
  public static void run(InputStream orders, List<RuntimeProvider> runtimes) throws IOException {
    ProcessSetup.leaveSignalsToTheServer();
    OutputStream replies = ProcessSetup.takeOutput();
    ProcessSetup.offerToTheOutOfMemoryKiller();
    var process = new ModelProcess(orders, replies, runtimes);
    var _ = Thread.ofPlatform().name("orders").start(process::serve);
    process.serve();
  }

  private void serve() {
    var order = new ProcessMessageReader();
    var reply = new ProcessMessageWriter();
    try {
      while (true) {
        answer(read(order), order, reply);
        reply.send(replies);
      }
    } catch (IOException _) {
      // The server has closed the session, or has ended. Native code may be running.
      Runtime.getRuntime().halt(0);
    } catch (RuntimeException | Error e) {
      LOG.error("the model's process failed", e);
      Runtime.getRuntime().halt(1);
    }
  }

  /**
   * Waits for an order that has a reply. Those without are carried out as they are read: they are
   * short, and their sequence matters.
   */
  private byte read(ProcessMessageReader order) throws IOException {
    reading.lock();
    try {
      byte kind = order.receive(orders);
      while (session.obeys(kind, order)) {
        kind = order.receive(orders);
      }
      return kind;
    } finally {
      reading.unlock();
    }
  }

  private void answer(byte kind, ProcessMessageReader order, ProcessMessageWriter reply) {
    try {
      session.answer(kind, order, reply);
    } catch (InferenceException e) {
      reply
          .begin(ProcessReply.FAILED)
          .putText(e.code().name())
          .putText(e.getMessage())
          .putFlag(e.isOfUnprovenModel());
    } catch (OutOfMemoryError e) {
      reply
          .begin(ProcessReply.FAILED)
          .putText(ErrorCode.RESOURCE_EXHAUSTED.name())
          .putText("the request asks the model for more memory than there is: " + e.getMessage())
          .putFlag(false);
    } catch (RuntimeException e) {
      LOG.error("the model could not be run", e);
      reply
          .begin(ProcessReply.FAILED)
          .putText(ErrorCode.INTERNAL.name())
          .putText("the model failed: " + e.getMessage())
          .putFlag(false);
    }
  }
}
