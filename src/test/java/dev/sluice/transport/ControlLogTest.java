package dev.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.access.Operation;
import dev.sluice.transport.connection.RateLimitedLog;
import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

class ControlLogTest {
  private final ControlLog log = new ControlLog(new RateLimitedLog(NOPLogger.NOP_LOGGER));

  @Test
  void linesAreFoldedByIdentityAndOperation() {
    assertThat(log.kind(Operation.LOAD, "key:a")).isEqualTo("load by key:a");
    assertThat(log.kind(Operation.LOAD, "key:b")).isEqualTo("load by key:b");
    assertThat(log.kind(Operation.RELOAD, "key:a")).isEqualTo("reload by key:a");
  }

  @Test
  void anyNumberOfIdentitiesMakesABoundedNumberOfKinds() {
    for (int i = 0; i < ControlLog.MOST_PAIRS; i++) {
      var _ = log.kind(Operation.LOAD, "jwt:" + i);
    }
    assertThat(log.kind(Operation.LOAD, "jwt:new")).isEqualTo("load");
    assertThat(log.kind(Operation.LOAD, "jwt:0")).isEqualTo("load by jwt:0");
  }
}
