package dev.sluice.serving;

import dev.sluice.extension.HttpHandler;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.RawCall;
import java.util.Optional;

/** Answers HTTP requests by own code: each is one call, on a thread of its own. */
record CodeHandler(CodeVersion version, HttpHandler handler) {
  static Optional<CodeHandler> of(CodeVersion version) {
    return version.code().handler().map(handler -> new CodeHandler(version, handler));
  }

  /** Answers, later. On the call's event loop. Takes the loan over. */
  void handle(ModelLease model, RawCall call, OpenStreams open) {
    var answer = new HandledCall(version, handler, model, call, open);
    open.enter(answer);
    call.onGone(answer::leave);
    if (!answer.isOver()) {
      answer.start(call.deadline());
    }
  }
}
