package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The end of a server's threads. */
@Timeout(30)
class ServerThreadsTest {
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(ServerThreads.class);

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void listenNoMore() {
    logger.detachAppender(log);
  }

  private List<String> said() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void whatHasEndedIsNotTalkedAbout() {
    ServerThreads.awaitEnd(Future.succeededFuture(), Duration.ofSeconds(20));
    assertThat(said()).isEmpty();
  }

  @Test
  void whatDoesNotEndIsNotWaitedForAndLogged() {
    ServerThreads.awaitEnd(Promise.promise().future(), Duration.ofMillis(10));
    assertThat(said()).containsExactly("the server's threads have not ended after 10 ms");
  }

  @Test
  void whatFailsToEndIsLogged() {
    ServerThreads.awaitEnd(Future.failedFuture("broken"), Duration.ofSeconds(20));
    assertThat(said()).containsExactly("the server's threads have not ended");
  }
}
