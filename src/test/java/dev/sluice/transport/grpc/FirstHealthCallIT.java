package dev.sluice.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RawGrpc;
import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first call of health, for which the service is made. */
@Timeout(60)
class FirstHealthCallIT {
  private static final String CHECK = "grpc.health.v1.Health/Check";

  @Test
  void aServiceThatCannotBeMadeIsUnavailableAndTriedAgainForTheNextCall() {
    try (var listener = new EchoListener(LimitsConfig.DEFAULT);
        var client = new RawGrpc(listener.port())) {
      listener.loseDescription();

      Status refused = client.call(CHECK);
      assertThat(refused.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(refused.getDescription()).contains("try again");
      assertThat(client.call(CHECK).getCode()).isEqualTo(Status.Code.OK);
      assertThat(client.call("test.Echo/Echo").getCode()).isEqualTo(Status.Code.OK);
    }
  }
}
