package dev.sluice.transport.grpc;

import io.netty.buffer.ByteBuf;

/** A unary call on the frames of its stream. */
record Http2Call(UnaryCall call, Http2Response answer, Http2Window window) {
  /** Returns bytes that were consumed to the flow-control window. */
  int window(int taken) {
    return window.taken(taken);
  }

  void begin() {
    call.begin();
  }

  /** Takes a part of the message, which is the connection's again after this call. */
  void take(ByteBuf data) {
    call.take(data);
  }

  void end() {
    call.answer();
  }

  /** Takes the last part of the message: for most calls it is the only one. */
  void takeLast(ByteBuf data) {
    call.take(data);
    call.answer();
  }

  /** Returns whether the call has decided its answer: what is left to do needs no context. */
  boolean isAnswered() {
    return call.isAnswered();
  }

  void endIfIdle() {
    call.endIfIdle();
  }

  void closed() {
    answer.closed();
    window.closed();
    call.cancelled();
  }
}
