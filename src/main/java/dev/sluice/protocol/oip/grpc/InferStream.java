package dev.sluice.protocol.oip.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.SharedMemory;
import dev.sluice.transport.Body;
import dev.sluice.transport.StreamPump;
import dev.sluice.transport.grpc.method.GrpcStreamCall;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One {@code ModelStreamInfer} call. Requests run side by side; answers of models that give one
 * each go out in the order of the requests, those of decoupled models as they come. A failure is an
 * answer like any other, unless the call's metadata {@code triton_grpc_error} wants it to end the
 * call.
 */
final class InferStream implements GrpcStreamMethod.Messages {
  /** Requests of one call that are under way; with more, the client has to wait. */
  private static final int MOST_OPEN = 64;

  private final OipServer server;
  private final GrpcStreamCall call;
  private final boolean endsOnFailure;
  private final Set<StreamedRequest> open = new LinkedHashSet<>();
  private final List<Runnable> awaitingWritable = new ArrayList<>();
  private @Nullable Promise<Void> place;
  private boolean allTaken;
  private boolean stopping;
  private boolean cancelled;

  InferStream(OipServer server, GrpcStreamCall call) {
    this.server = server;
    this.call = call;
    this.endsOnFailure = "true".equalsIgnoreCase(call.metadata("triton_grpc_error"));
    call.onCancel(this::abandon);
  }

  @Override
  public Future<?> take(Body message) {
    WireRequest wire = WireRequest.readStreamed(message);
    Map<String, ParameterValue> metadata = server.forwarded().ofGrpc(call.metadata());
    var request = new StreamedRequest(this, wire, call.newRecord());
    open.add(request);
    if (wire.refusal() != null) {
      request.fail(wire.refusal());
      return writable();
    }
    SharedMemory memory = server.memory(call);
    return call.compute(
            message.work() + (memory == null ? 0 : memory.work()),
            () -> InferRequestReader.decodeStreamed(server, wire, call, metadata, memory))
        .transform((decoded, failure) -> {
          begin(request, decoded, failure);
          return writable();
        });
  }

  private void begin(
      StreamedRequest request,
      InferRequestReader.@Nullable Decoded decoded,
      @Nullable Throwable failure) {
    if (cancelled) {
      if (decoded != null) {
        decoded.request().close();
      }
      return;
    }
    if (decoded == null) {
      request.fail(failure == null ? new IllegalStateException("no request") : failure);
      return;
    }
    var pump = new StreamPump(call, request.record(), request, request::encode);
    request.begin(pump, decoded);
    server.data().inferStream(decoded.request(), pump);
  }

  /** Complete when a next request may come. */
  private Future<Void> writable() {
    if (open.size() < MOST_OPEN) {
      return Future.succeededFuture();
    }
    place = Promise.promise();
    return place.future();
  }

  @Override
  public void end() {
    allTaken = true;
    endIfDone();
  }

  @Override
  public void stop() {
    stopping = true;
    endIfDone();
  }

  @Override
  public boolean isUnderWay() {
    return !open.isEmpty();
  }

  /**
   * Ends the call if it is done: a server that stops waits for no more requests, and a client that
   * sends more gets an error.
   */
  private void endIfDone() {
    if (!open.isEmpty() || cancelled) {
      return;
    }
    if (allTaken) {
      call.end();
    } else if (stopping) {
      call.fail(
          new InferenceException(
              ErrorCode.UNAVAILABLE, "the server is stopping and waits for no more messages"));
    }
  }

  /** Returns whether no request before this one has answers to come in their order. */
  boolean isTurnOf(StreamedRequest request) {
    for (StreamedRequest earlier : open) {
      if (earlier.equals(request)) {
        return true;
      }
      if (earlier.isOrdered()) {
        return false;
      }
    }
    return true;
  }

  GrpcStreamCall call() {
    return call;
  }

  /** Returns whether a failure ends the call instead of being sent in a message. */
  boolean endsOnFailure() {
    return endsOnFailure;
  }

  /** Runs the action when the client has caught up, or when the turn of another comes. */
  void onWritable(Runnable action) {
    awaitingWritable.add(action);
    call.onWritable(this::lookAgain);
  }

  private void lookAgain() {
    List<Runnable> waiting = List.copyOf(awaitingWritable);
    awaitingWritable.clear();
    waiting.forEach(Runnable::run);
  }

  /** Records that a request has had its last answer. */
  void done(StreamedRequest request) {
    open.remove(request);
    if (place != null && open.size() < MOST_OPEN) {
      Promise<Void> free = place;
      place = null;
      free.complete();
    }
    lookAgain();
    endIfDone();
  }

  private void abandon() {
    cancelled = true;
    List.copyOf(open).forEach(StreamedRequest::abandon);
    open.clear();
  }

  /** Returns the error that the client gets. */
  InferenceException explain(Throwable failure) {
    return call.explain(failure);
  }
}
