package dev.sluice.loadtest.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class H2loadSummaryTest {
  private static final String OUTPUT =
      """
      Main benchmark duration is over for thread #0. Stopping all clients.
      Stopped all clients for thread #0

      finished in 503.06ms, 954.00 req/s, 68.29KB/s
      requests: 477 total, 481 started, 477 done, 470 succeeded, 7 failed, 2 errored, 0 timeout
      status codes: 470 2xx, 0 3xx, 5 4xx, 0 5xx
      traffic: 34.15KB (34965) total, 62.42KB (63918) headers (space savings 0.00%), 46.58KB (47700) data
                           min         max         mean         sd        +/- sd
      time for request:      303us     49.51ms      4.11ms      6.61ms    92.87%
      """;

  @Test
  void figuresAreTakenFromTheEndOfTheOutput() {
    assertThat(H2loadSummary.parse(OUTPUT)).isEqualTo(new H2loadSummary(954, 477, 7, 2, 47_700));
  }

  @Test
  void answersThatAreTooSmallAreNoGoodAnswers() {
    var round = new H2loadSummary(10, 100, 0, 0, 8_500);
    assertThatCode(() -> round.requireGood(85)).doesNotThrowAnyException();
    assertThatExceptionOfType(GeneratorException.class).isThrownBy(() -> round.requireGood(86));
  }

  @Test
  void roundWithFailedRequestsIsRefused() {
    var round = new H2loadSummary(10, 100, 1, 0, 8_500);
    assertThatExceptionOfType(GeneratorException.class).isThrownBy(() -> round.requireGood(0));
  }

  @Test
  void otherOutputIsRefused() {
    assertThatExceptionOfType(GeneratorException.class)
        .isThrownBy(() -> H2loadSummary.parse("could not resolve host"))
        .withMessageContaining("could not resolve host");
  }
}
