package dev.sluice.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.transport.http.QualityValues.Member;
import org.junit.jupiter.api.Test;

class QualityValuesTest {
  @Test
  void membersAreInTheClientsOrderAndItsQualityIsOneIfItSaysNone() {
    assertThat(QualityValues.of("GZIP;q=0.5, text/plain;version=0.0.4 ,b;Q=0.25").members())
        .containsExactly(
            new Member("gzip", 0.5), new Member("text/plain", 1), new Member("b", 0.25));
  }

  @Test
  void whatIsNoNumberIsNotWantedAndTheBestOfSeveralCounts() {
    QualityValues values = QualityValues.of("a;q=x, b;q=0.1, b;q=0.7, b");
    assertThat(values.quality("a")).isZero();
    assertThat(values.quality("b")).isEqualTo(1);
    assertThat(values.quality("c")).isZero();
  }

  @Test
  void noHeaderAndOneThatOnlyCostsTimeNameNothing() {
    assertThat(QualityValues.of(null).members()).isEmpty();
    assertThat(QualityValues.of("a,".repeat(600)).members()).isEmpty();
  }
}
