package dev.sluice.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseCodingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          gzip                      | GZIP
          GZIP                      | GZIP
          deflate, gzip             | DEFLATE
          gzip;q=0.5, deflate;q=0.8 | DEFLATE
          gzip;q=0.5,deflate;q=0.5  | GZIP
          identity, gzip;q=0.9      | IDENTITY
          gzip;q=0                  | IDENTITY
          gzip;q=high               | IDENTITY
          br, zstd                  | IDENTITY
          *                         | IDENTITY
          br;q=1, gzip; q=0.1       | GZIP
          ,;,                       | IDENTITY
          """)
  void clientChoosesByQuality(String header, ResponseCoding coding) {
    assertThat(ResponseCoding.of(header)).isEqualTo(coding);
  }

  @Test
  void clientThatSaysNothingGetsThePlainAnswer() {
    assertThat(ResponseCoding.of(null)).isEqualTo(ResponseCoding.IDENTITY);
  }
}
