package dev.sluice.transport.grpc.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.access.Operation;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AuthorizedMethodTest {
  @Test
  void aMethodIsJoinedWithItsOperation() {
    assertThat(
            AuthorizedMethod.all(
                "a.Service/", Map.of("Ask", "method"), Map.of("Ask", Operation.INFER)))
        .containsExactly(Map.entry("Ask", new AuthorizedMethod<>("method", Operation.INFER)));
  }

  @Test
  void aMethodWithoutAnOperationStopsTheServer() {
    assertThatThrownBy(() -> AuthorizedMethod.all("a.Service/", Map.of("Ask", "method"), Map.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a.Service/Ask");
  }
}
