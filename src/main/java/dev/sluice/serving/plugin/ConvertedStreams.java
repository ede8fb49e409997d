package dev.sluice.serving.plugin;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.stream.StreamScheduler;
import java.util.concurrent.Flow;

/** Answers requests by streams of a model with a converter around it. */
public record ConvertedStreams(ConverterCalls calls) implements StreamScheduler {
  @Override
  public void stream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    subscriber.onSubscribe(new ConvertedStream(calls, request, subscriber));
  }
}
