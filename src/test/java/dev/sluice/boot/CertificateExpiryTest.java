package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class CertificateExpiryTest {
  private static final Instant END = Instant.parse("2030-01-01T00:00:00Z");

  private final Logger logger = (Logger) LoggerFactory.getLogger(CertificateExpiry.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private Instant now = END.minusSeconds(1);
  private final CertificateExpiry expiry = new CertificateExpiry("localhost:8443", () -> now);

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(log);
  }

  @Test
  void certificateThatExpiresWhileItIsUsedIsLoggedOnce() {
    expiry.uses(Optional.of(END));
    assertThat(log.list).isEmpty();
    now = END;
    expiry.look();
    expiry.look();
    assertThat(log.list).hasSize(1);
    assertThat(log.list.getFirst().getKeyValuePairs().toString())
        .contains("localhost:8443")
        .contains("2030-01-01");
  }

  @Test
  void nextCertificateThatHasExpiredIsLoggedToo() {
    now = END.plusSeconds(9);
    expiry.uses(Optional.of(END));
    expiry.uses(Optional.of(END.plusSeconds(5)));
    assertThat(log.list).hasSize(2);
    assertThat(expiry.validUntil()).contains(END.plusSeconds(5));
  }

  @Test
  void certificateThatDoesNotSayUntilWhenItIsValidIsNotShown() {
    expiry.uses(Optional.empty());
    expiry.look();
    assertThat(log.list).isEmpty();
    assertThat(expiry.validUntil()).isEmpty();
  }
}
