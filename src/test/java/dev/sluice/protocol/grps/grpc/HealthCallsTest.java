package dev.sluice.protocol.grps.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.testing.LocalGrpcCall;
import dev.sluice.testing.NamedModels;
import dev.sluice.transport.Body;
import org.junit.jupiter.api.Test;

class HealthCallsTest {
  private final NamedModels models = new NamedModels();
  private final HealthCalls calls = new HealthCalls(models);

  private int live() throws InvalidProtocolBufferException {
    byte[] answer = calls.live(new LocalGrpcCall(), Body.EMPTY).result().getBytes();
    return GrpsMessage.parseFrom(answer).getStatus().getCode();
  }

  @Test
  void modelsAreLoadedOnceTheServerIsLive() throws Exception {
    models.setStarted(false);
    assertThat(live()).isEqualTo(503);
    models.setStarted(true);
    assertThat(live()).isEqualTo(200);
  }
}
