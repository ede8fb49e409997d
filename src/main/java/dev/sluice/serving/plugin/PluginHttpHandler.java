package dev.sluice.serving.plugin;

import dev.sluice.extension.HttpHandler;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.PluginHttpCall;
import dev.sluice.serving.stream.OpenStreams;
import java.util.Optional;

/**
 * Answers HTTP requests by a plugin: each is one call, on a thread of its own.
 *
 * <p>The event loop only hands over bytes; the plugin may block on its thread until its time limit.
 */
public record PluginHttpHandler(PluginVersion version, HttpHandler handler) {
  public static Optional<PluginHttpHandler> of(PluginVersion version) {
    return version.code().handler().map(handler -> new PluginHttpHandler(version, handler));
  }

  /** Answers, later. On the call's event loop. Takes over the lease. */
  public void handle(ModelLease model, PluginHttpCall call, OpenStreams open) {
    var answer = new HandledHttpCall(version, handler, model, call, open);
    open.enter(answer);
    call.onCancel(answer::leave);
    if (!answer.isOver()) {
      answer.start(call.deadline());
    }
  }
}
