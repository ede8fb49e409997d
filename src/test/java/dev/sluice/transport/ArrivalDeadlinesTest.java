package dev.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Deadline;
import dev.sluice.transport.ArrivalDeadlines.Arrival;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class ArrivalDeadlinesTest {
  private final Queue<Runnable> later = new ArrayDeque<>();
  private final List<String> expired = new ArrayList<>();
  private long now;
  private final ArrivalDeadlines deadlines = new ArrivalDeadlines(later::add, () -> now);

  private Arrival begin(String name, long deadline) {
    return deadlines.begin(Deadline.at(deadline), _ -> expired.add(name));
  }

  private void pollAt(long time) {
    now = time;
    later.remove().run();
  }

  @Test
  void requestExpiresAtItsDeadlineUnlessItHasArrived() {
    Arrival first = begin("first", 10);
    begin("second", 10);
    begin("third", 30);
    Arrival fourth = begin("fourth", 10);
    first.end();
    first.end();
    fourth.end();
    pollAt(9);
    assertThat(expired).isEmpty();
    pollAt(10);
    assertThat(expired).containsExactly("second");
    pollAt(40);
    assertThat(expired).containsExactly("second", "third");
  }

  @Test
  void nothingIsPolledWhenAllHaveArrived() {
    begin("first", 10).end();
    pollAt(20);
    assertThat(later).isEmpty();
  }

  @Test
  void failureOfOneRequestKeepsOthersFromNothing() {
    deadlines.begin(
        Deadline.at(10),
        _ -> {
          throw new IllegalStateException("broken");
        });
    begin("second", 20);
    assertThatThrownBy(() -> pollAt(10)).hasMessage("broken");
    pollAt(20);
    assertThat(expired).containsExactly("second");
  }

  @Test
  void requestThatAnotherOneEndsDoesNotExpire() {
    List<Arrival> both = new ArrayList<>();
    both.add(deadlines.begin(Deadline.at(10), _ -> both.getLast().end()));
    both.add(begin("second", 10));
    pollAt(10);
    assertThat(expired).isEmpty();
  }
}
