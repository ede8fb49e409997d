package dev.sluice.transport.grpc;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.MessageTurns;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.grpc.message.MessageSplitter;
import dev.sluice.transport.grpc.message.TextBody;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * The client's direction of a streaming call: takes messages in order, one at a time, as fast as
 * the method takes them, its answers are written, there is memory, and other calls of the event
 * loop leave a turn. The client is paused meanwhile: backpressure. Of the call's event loop.
 *
 * <pre>
 * state     event                            next      what happens
 * --------  -------------------------------  --------  ---------------------------------------
 * OPEN      message                          OPEN      the method takes it
 * OPEN      the listener closes              STOPPING  as before, the client is watched
 * STOPPING  next message begins to arrive,   STOPPED   messages that had arrived are taken; then
 *           silence, or the drain is over              the method stops
 * not       the client half-closes           the same  the method ends behind the last message
 * STOPPED
 * any       the call has ended               the same  nothing is taken any more
 * </pre>
 */
final class MessageIntake {
  /** Looks after which a client that could send its next message is taken for a silent one. */
  private static final int IDLE_POLLS = 10;

  private enum State {
    OPEN,
    STOPPING,
    STOPPED
  }

  private final StreamingCall call;
  private final HttpServerRequest request;
  private final ListenerContext context;
  private final MessageSplitter splitter;
  private final MessageTurns turns;
  private final TextBody text;
  private GrpcStreamMethod.@Nullable Messages messages;
  private State state = State.OPEN;
  private boolean halfClosed;

  /** Whether the method knows that there are no further messages. */
  private boolean allTaken;

  /** True while the next message may not be taken. */
  private boolean taking;

  /** No message is taken until some of the answers are written. */
  private boolean behind;

  /** Whether the client has sent anything, or has half-closed. */
  private boolean active;

  private boolean seen;
  private int idlePolls;
  private RequestMemory.@Nullable Wait wait;

  MessageIntake(
      StreamingCall call, HttpServerRequest request, ListenerContext context, MessageTurns turns) {
    this.call = call;
    this.request = request;
    this.context = context;
    this.splitter = new MessageSplitter(call.reader(), call.memory());
    this.turns = turns;
    this.text = new TextBody(call.reader(), call.memory(), context.memory());
  }

  /** Begins to read. */
  void open(GrpcStreamMethod.Messages method) {
    messages = method;
    request.handler(this::arrived);
    request.endHandler(_ -> halfClosed());
  }

  private void arrived(Buffer piece) {
    active = true;
    if (call.isAnswered() || state == State.STOPPED) {
      return;
    }
    if (state == State.STOPPING && splitter.isEmpty()) {
      stop();
    } else if (call.isText()) {
      collect(piece);
    } else {
      splitter.add(piece);
      takeNext();
    }
  }

  private void collect(Buffer piece) {
    try {
      text.add(piece);
    } catch (InferenceException e) {
      call.fail(e);
    }
  }

  private void halfClosed() {
    active = true;
    halfClosed = true;
    if (!call.isText() || call.isAnswered()) {
      takeNext();
      return;
    }
    call.compute(text.size(), text::decode)
        .onComplete(
            frames -> {
              splitter.add(frames);
              takeNext();
            },
            call::fail);
  }

  /**
   * Ends the call when the client's next message begins to arrive, or when it has been silent for a
   * while with nothing under way. Not right behind an answer: a client that has just read it is
   * about to write, and some libraries make an internal error of a write on a stream that has ended
   * meanwhile, while one that waits for an answer gets the status as it is.
   */
  void endIfIdle() {
    if (!seen) {
      seen = true;
    } else if (!active) {
      call.fail(IdleCallTimeouts.stopping());
    } else if (!halfClosed && state != State.STOPPED) {
      state = State.STOPPING;
      idlePolls = isUnderWay() ? 0 : idlePolls + 1;
      if (idlePolls > IDLE_POLLS) {
        stop();
      }
    }
  }

  private boolean isUnderWay() {
    return taking || !splitter.isEmpty() || isAnswering();
  }

  /** Returns whether a message has been taken whose answers are not all written. */
  boolean isAnswering() {
    return messages != null && messages.isUnderWay();
  }

  boolean isStopping() {
    return state == State.STOPPING;
  }

  /** Takes the messages that have arrived, and no more. */
  void stop() {
    if (state != State.STOPPED) {
      state = State.STOPPED;
      takeNext();
    }
  }

  private void takeNext() {
    try {
      while (!taking && !call.isAnswered() && !call.isLeft()) {
        if (!splitter.isEmpty() && !mayTake()) {
          return;
        }
        Body frame = splitter.next();
        if (frame == null) {
          takenAll();
          return;
        }
        take(frame);
      }
    } catch (RuntimeException e) {
      call.fail(e);
    }
  }

  private void takenAll() {
    if (splitter.starved() > 0) {
      await(splitter.starved());
    } else if (messages != null && !allTaken) {
      if (state == State.STOPPED) {
        messages.stop();
      } else if (halfClosed) {
        end(messages);
      }
    }
  }

  private void end(GrpcStreamMethod.Messages ended) {
    if (!splitter.isEmpty()) {
      throw splitter.cutOff();
    }
    allTaken = true;
    ended.end();
  }

  /** Returns whether the next message is taken now; if not, it will be looked at again. */
  private boolean mayTake() {
    if (call.isBehind()) {
      behind = true;
      pause();
      return false;
    }
    if (!turns.tryTake()) {
      pause();
      turns.await(this::resume);
      return false;
    }
    return true;
  }

  /** Called when the client has read enough of the answers. */
  void caughtUp() {
    if (behind) {
      behind = false;
      resume();
    }
  }

  private void pause() {
    taking = true;
    pauseReading();
  }

  private void resume() {
    taking = false;
    takeNext();
    if (!taking) {
      resumeReading();
    }
  }

  /** A body that has arrived as a whole cannot be paused: HTTP/1.1 would throw. */
  private void pauseReading() {
    if (!halfClosed) {
      request.pause();
    }
  }

  private void resumeReading() {
    if (!halfClosed) {
      request.resume();
    }
  }

  /** Reads no more until there is memory for the next message. */
  private void await(long size) {
    pause();
    wait =
        context
            .memory()
            .await(
                call.memory().share(),
                context.vertx(),
                splitter::tryAgain,
                succeeded -> waited(succeeded, size));
  }

  private void waited(boolean succeeded, long size) {
    wait = null;
    taking = false;
    if (succeeded) {
      takeNext();
    } else {
      call.fail(context.memory().busy(call.memory().refusal(Kind.BODY, size)));
    }
    resumeReading();
  }

  /** Waits for the consumer of the message, unless that is done at once. */
  private void take(Body frame) {
    taking = true;
    Future<?> taken =
        call.compute(call.workOf(frame, true), () -> call.reader().read(frame))
            .compose(
                message -> messages == null ? Future.succeededFuture() : messages.take(message));
    taken.onComplete(_ -> splitter.taken(frame));
    if (taken.succeeded()) {
      taking = false;
      return;
    }
    pauseReading();
    taken.onComplete(
        _ -> {
          taking = false;
          resumeReading();
          takeNext();
        },
        call::fail);
  }

  /** Called when the call has ended: what its client still sends is read and dropped. */
  void ended() {
    if (wait != null) {
      wait.cancel();
      wait = null;
    }
    resumeReading();
  }
}
