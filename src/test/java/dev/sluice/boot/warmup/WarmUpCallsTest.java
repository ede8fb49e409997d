package dev.sluice.boot.warmup;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.boot.warmup.WarmUpCalls.GrpcCall;
import dev.sluice.config.server.ListenerConfig;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarmUpCallsTest {
  private final WarmUpCalls calls = new WarmUpCalls(ListenerConfig.DEFAULT, List.of("echo"));

  @Test
  void numbersAreSentInJsonAndRawAndOutputsAreAskedForByNameAndAll() {
    List<HttpCall> v2 =
        calls.httpCalls().stream().filter(call -> call.path().startsWith("/v2/")).toList();
    for (boolean raw : new boolean[] {false, true}) {
      assertThat(v2)
          .filteredOn(call -> call.raw().length > 0 == raw)
          .extracting(call -> call.json().contains("\"outputs\""))
          .containsExactlyInAnyOrder(true, false);
    }
  }

  @Test
  void callsOfGrpcAreUnaryAndStreamed() {
    assertThat(calls.grpcCalls())
        .extracting(GrpcCall::path)
        .contains(
            "/inference.GRPCInferenceService/ModelInfer",
            "/inference.GRPCInferenceService/ModelStreamInfer");
  }

  @Test
  void aRequestIsRefusedForEachPartOfItThatClientsGetWrong() {
    assertThat(calls.httpCalls())
        .allSatisfy(call ->
            assertThat(call.refused())
                .hasSize(4)
                .extracting(refused -> text(refused))
                .doesNotContain(text(call)));
  }

  private static String text(HttpCall call) {
    return new String(call.request(""), ISO_8859_1);
  }
}
