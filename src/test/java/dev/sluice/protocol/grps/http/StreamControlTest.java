package dev.sluice.protocol.grps.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.protocol.grps.http.StreamControl.Mode;
import dev.sluice.transport.Body;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamControlTest {
  private static final StreamControl BY_QUERY =
      new StreamControl(Mode.QUERY_PARAM, "streaming", "application/octet-stream");
  private static final StreamControl BY_BODY =
      new StreamControl(Mode.BODY_PARAM, "stream", "text/plain");

  private static Body body(String text) {
    return Body.of(text.getBytes(UTF_8));
  }

  @Test
  void aBodyAsksByAMemberThatIsTrue() {
    assertThat(BY_BODY.asksInBody(body("{\"x\":1,\"stream\":true}"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"stream\":false}",
        "{\"stream\":\"true\"}",
        "{\"x\":{\"stream\":true}}",
        "[true]",
        "{\"stream\":true",
        "\u0000stream",
        ""
      })
  void whateverElseItIsAsksForNothing(String text) {
    assertThat(BY_BODY.asksInBody(body(text))).isFalse();
  }

  @Test
  void aBodyAsksForNothingWhereTheQueryDoes() {
    assertThat(BY_QUERY.asksInBody(body("{\"streaming\":true}"))).isFalse();
  }
}
