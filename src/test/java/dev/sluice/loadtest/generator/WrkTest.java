package dev.sluice.loadtest.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WrkTest {
  private static final String OUTPUT =
      """
      Running 3s test @ http://127.0.0.1:8080/v2/models/mlp/infer
        2 threads and 64 connections
        Thread Stats   Avg      Stdev     Max   +/- Stdev
          Latency     1.24ms  803.02us  12.48ms   85.18%
          Req/Sec    26.54k     2.31k   31.52k    66.67%
        158650 requests in 3.00s, 37.22MB read
      Requests/sec:  52801.53

      {"requests":158650,"micros":3004671,"p50":1105,"p99":4288,"failed":0,"refused":0}
      """;

  @Test
  void figuresAreThoseOfTheScript() {
    Measurement round = Wrk.parse(OUTPUT);
    assertThat(round.rate()).isBetween(52_801.0, 52_802.0);
    assertThat(round.p50()).isEqualTo(1_105);
    assertThat(round.p99()).isEqualTo(4_288);
    assertThat(round.answers()).isEqualTo(158_650);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"requests\":9,\"micros\":1,\"p50\":1,\"p99\":1,\"failed\":1,\"refused\":0}",
        "{\"requests\":9,\"micros\":1,\"p50\":1,\"p99\":1,\"failed\":0,\"refused\":1}",
        "{\"requests\":0,\"micros\":1,\"p50\":0,\"p99\":0,\"failed\":0,\"refused\":0}"
      })
  void roundWithAnythingButGoodAnswersIsRefused(String report) {
    assertThatExceptionOfType(GeneratorException.class)
        .isThrownBy(() -> Wrk.parse(report))
        .withMessageContaining("not every request had a good answer");
  }

  @Test
  void outputWithoutTheScriptsLineIsRefused() {
    assertThatExceptionOfType(GeneratorException.class)
        .isThrownBy(() -> Wrk.parse("unable to connect to 127.0.0.1:1 Connection refused"))
        .withMessageContaining("Connection refused");
  }
}
