package dev.sluice.serving.plugin;

import dev.sluice.extension.StreamingModel;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.stream.StreamScheduler;
import java.util.concurrent.Flow;

/**
 * Answers requests by streams of a plugin: each is one call, on a thread of its own.
 *
 * <p>Backpressure: the plugin's thread waits in its emitter while the reader has no demand.
 */
public record PluginStreams(PluginVersion version, StreamingModel model, PluginResponses answers)
    implements StreamScheduler {
  @Override
  public void stream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    var stream = new PluginStream(version, model, answers, request, subscriber);
    subscriber.onSubscribe(stream);
    stream.begin();
  }
}
