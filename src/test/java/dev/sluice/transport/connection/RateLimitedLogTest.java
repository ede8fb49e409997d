package dev.sluice.transport.connection;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class RateLimitedLogTest {
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();
  private final List<Runnable> afterASecond = new ArrayList<>();
  private final Logger logger = new LoggerContext().getLogger("test");
  private final RateLimitedLog log =
      new RateLimitedLog(logger, (_, task) -> afterASecond.add(task));

  @BeforeEach
  void follow() {
    written.start();
    logger.addAppender(written);
  }

  private List<String> lines() {
    return written.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private void endSecond() {
    List<Runnable> due = List.copyOf(afterASecond);
    afterASecond.clear();
    due.forEach(Runnable::run);
  }

  @Test
  void theFirstOfASecondAreWrittenAndTheOthersCounted() {
    for (int i = 0; i < 747; i++) {
      log.at(Level.INFO, "a").log("wrong {}", i);
    }
    assertThat(lines()).containsExactly("wrong 0", "wrong 1", "wrong 2");
    endSecond();
    assertThat(lines()).last().isEqualTo("... 744 more in the last second");
  }

  @Test
  void aFewAreWrittenWithoutACount() {
    log.at(Level.INFO, "a").log("wrong");
    endSecond();
    assertThat(lines()).containsExactly("wrong");
  }

  @Test
  void kindsAndSecondsAreCountedApart() {
    for (int second = 0; second < 2; second++) {
      for (int i = 0; i < 4; i++) {
        log.at(Level.INFO, "a").log("a");
        log.at(Level.WARN, "b").log("b");
      }
      endSecond();
    }
    assertThat(lines().stream().filter("a"::equals)).hasSize(6);
    assertThat(lines().stream().filter("... 1 more in the last second"::equals)).hasSize(4);
  }

  @Test
  void whatTheLevelForbidsIsNotCounted() {
    logger.setLevel(ch.qos.logback.classic.Level.WARN);
    log.at(Level.INFO, "a").log("a");
    assertThat(afterASecond).isEmpty();
  }
}
