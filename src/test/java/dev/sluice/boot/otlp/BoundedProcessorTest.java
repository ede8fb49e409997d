package dev.sluice.boot.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundedProcessorTest {
  private final List<ReadableSpan> kept = new ArrayList<>();
  private final BoundedProcessor processor =
      new BoundedProcessor(
          new SpanProcessor() {
            @Override
            public void onStart(Context parent, ReadWriteSpan span) {
              // Not looked at.
            }

            @Override
            public boolean isStartRequired() {
              return false;
            }

            @Override
            public void onEnd(ReadableSpan span) {
              kept.add(span);
            }

            @Override
            public boolean isEndRequired() {
              return true;
            }
          },
          2);

  @Test
  void spansBeyondTheBoundAreDroppedAndCountedUntilOthersAreTaken() {
    try (var provider = SdkTracerProvider.builder().addSpanProcessor(processor).build()) {
      Tracer tracer = provider.get("test");
      for (int i = 0; i < 5; i++) {
        tracer.spanBuilder("span").startSpan().end();
      }
      assertThat(kept).hasSize(2);
      assertThat(processor.dropped()).isEqualTo(3);

      processor.taken(1);
      tracer.spanBuilder("span").startSpan().end();
      assertThat(kept).hasSize(3);
    }
  }
}
