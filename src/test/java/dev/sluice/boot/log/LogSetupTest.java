package dev.sluice.boot.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.vertx.core.http.impl.HttpClientConnection;
import io.vertx.core.net.impl.ConnectionBase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogSetupTest {
  /** By their classes: a version of Vert.x that names them otherwise does not compile. */
  @ParameterizedTest
  @ValueSource(classes = {ConnectionBase.class, HttpClientConnection.class})
  void nothingIsLoggedOfConnectionsWhoseUsersLearnOfTheirEndByThemselves(Class<?> library) {
    var logs = new LoggerContext();
    LogSetup.quieten(logs, Level.DEBUG);
    assertThat(logs.getLogger(library).isErrorEnabled()).isFalse();
    assertThat(logs.getLogger("io.vertx.core").isErrorEnabled()).isTrue();
  }
}
