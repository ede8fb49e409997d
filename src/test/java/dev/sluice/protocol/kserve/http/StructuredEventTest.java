package dev.sluice.protocol.kserve.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.transport.Body;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that are one JSON object, and documents that look like one. */
class StructuredEventTest {
  private static final String EVENT =
      "{\"specversion\":\"1.0\",\"id\":\"7\",\"source\":\"s\",\"type\":\"t\",\"data\":{\"a\":1}}";
  private static final String WHOLE = EVENT.replace("\"id\"", "\"time\":\"now\",\"id\"");

  private final StructuredEvent event = new StructuredEvent("iris", EventAttributes.DEFAULT);

  @Test
  void theDocumentIsTheData() {
    assertThat(text(event.open(body(EVENT)))).isEqualTo("{\"a\":1}");
  }

  @Test
  void theFirstOfTwoMembersCounts() {
    String twice = EVENT.replace("}}", "},\"data\":2}");
    assertThat(text(event.open(body(twice)))).isEqualTo("{\"a\":1}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"specversion", "id", "source", "type", "data"})
  void aMemberThatIsNotThereIsNamed(String name) {
    refuses(
        EVENT.replace('"' + name + '"', "\"other\""),
        "Cloud Event Exceptions: the event has no '" + name + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"2.0\"", "1.0", "null"})
  void anotherSpecificationIsRefused(String version) {
    String text = version.startsWith("\"") ? "2.0" : "";
    refuses(
        EVENT.replace("\"1.0\"", version),
        "Cloud Event Exceptions: specversion is \"" + text + "\"; wanted 1.0");
  }

  @Test
  void aListIsNoEvent() {
    refuses("[1]", "Cloud Event Exceptions: a structured event is a JSON object");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"id\":", "{} {}", "[1"})
  void whatIsNotJsonIsRefusedAsSuch(String text) {
    assertThatExceptionOfType(JsonException.class).isThrownBy(() -> event.open(body(text)));
  }

  @Test
  void aBareDocumentWithAllMembersOfAnEventIsOne() {
    assertThat(BareDocument.INSTANCE.within(body(WHOLE)).map(StructuredEventTest::text))
        .contains("{\"a\":1}");
  }

  @Test
  void aBareDocumentWithoutATimeIsNoEvent() {
    assertThat(BareDocument.INSTANCE.within(body(EVENT))).isEmpty();
  }

  @Test
  void anAnswerComesFromTheModelUnlessTheSettingsNameASource() {
    assertThat(EventAttributes.DEFAULT.sourceFor("iris")).isEqualTo("io.kserve.inference.iris");
    var named = new EventAttributes("t", Optional.of("here"), false);
    assertThat(named.sourceFor("iris")).isEqualTo("here");
  }

  private void refuses(String text, String why) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> event.open(body(text)))
        .withMessage(why)
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }

  private static Body body(String text) {
    return Body.of(text.getBytes(UTF_8));
  }

  private static String text(Body body) {
    return new String(body.bytes(), body.offset(), body.length(), UTF_8);
  }
}
