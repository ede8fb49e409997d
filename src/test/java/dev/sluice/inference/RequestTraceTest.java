package dev.sluice.inference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.RequestTrace.Event;
import dev.sluice.inference.RequestTrace.Scope;
import dev.sluice.inference.RequestTrace.SpanId;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the recording of a request has of runs that are under way. */
class RequestTraceTest {
  private final AtomicLong now = new AtomicLong(70);
  private final RequestTrace trace =
      RequestTrace.begin(new Scope(true, false, 0), new AtomicLong(1)::getAndIncrement, now::get);

  RequestTraceTest() {
    trace.belongsTo(new SpanId("1", "2"));
  }

  @Test
  void aRunUnderWayIsShownAsIfItEndedNow() {
    trace.runBegan(20, 30);
    assertThat(trace.events()).containsExactly(new Event.Ran(1, 20, 30, 30, 70, 70, null));
    now.set(80);
    assertThat(trace.end()).containsExactly(new Event.Ran(1, 20, 30, 30, 80, 80, null));
  }

  @Test
  void aRunThatIsForgottenOrBeginsBehindTheEndIsNotShown() {
    trace.runBegan(20, 30);
    trace.runForgotten();
    assertThat(trace.end()).isEmpty();
    trace.runBegan(75, 76);
    assertThat(trace.events()).isEmpty();
  }
}
