package dev.sluice.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Operation;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GuardedTest {
  @Test
  void aMethodIsJoinedWithItsOperation() {
    assertThat(Guarded.all("a.Service/", Map.of("Ask", "method"), Map.of("Ask", Operation.INFER)))
        .containsExactly(Map.entry("Ask", new Guarded<>("method", Operation.INFER)));
  }

  @Test
  void aMethodWithoutAnOperationStopsTheServer() {
    assertThatThrownBy(() -> Guarded.all("a.Service/", Map.of("Ask", "method"), Map.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("a.Service/Ask");
  }
}
