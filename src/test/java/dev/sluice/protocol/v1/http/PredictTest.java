package dev.sluice.protocol.v1.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.kserve.http.EventAttributes;
import dev.sluice.protocol.kserve.http.KserveDialect;
import dev.sluice.protocol.tfs.http.TfsDialect;
import dev.sluice.testing.FakeExchange;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.FakeTfsModels;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PredictTest {
  private static final V1Dialect TFS = new TfsDialect();
  private static final V1Dialect KSERVE = new KserveDialect(EventAttributes.DEFAULT);

  private final FakePlanes planes = FakeTfsModels.all();

  @AfterEach
  void nothingIsKept() {
    assertThat(planes.leases()).isZero();
  }

  @Test
  void rowsAreAnsweredWithPredictions() {
    assertThat(both("half_plus_two", "{\"instances\":[1.0,2.0]}"))
        .isEqualTo("{\"predictions\":[2.5,3.0]}");
  }

  @Test
  void plainInputsAreAnsweredUnderBothKeys() {
    assertThat(both("half_plus_two", "{\"inputs\":[1.0,2.0]}"))
        .isEqualTo("{\"outputs\":[2.5,3.0],\"predictions\":[2.5,3.0]}");
  }

  @Test
  void aSingleValueIsAnsweredUnderOutputsAlone() {
    assertThat(both("half_plus_two", "{\"inputs\":2.0}")).isEqualTo("{\"outputs\":3.0}");
  }

  @Test
  void namedInputsAreAnsweredUnderOutputsAlone() {
    assertThat(both("half_plus_two", "{\"inputs\":{\"x\":[2.0]}}"))
        .isEqualTo("{\"outputs\":[3.0]}");
  }

  @Test
  void inputsThatAreAListOfNamedRowsAreRows() {
    assertThat(both("addsub", "{\"inputs\":[{\"INPUT0\":[1,2],\"INPUT1\":[3,4]}]}"))
        .isEqualTo("{\"predictions\":[{\"INPUT0\":[1,2],\"INPUT1\":[3,4]}]}");
  }

  @Test
  void aTensorflowListenerWritesOutputsOnly() {
    assertThat(ask(List.of(TFS), "half_plus_two", "{\"inputs\":[1.0]}"))
        .isEqualTo("{\"outputs\":[2.5]}");
  }

  @Test
  void aKserveListenerWritesPredictionsOnly() {
    assertThat(ask(List.of(KSERVE), "half_plus_two", "{\"inputs\":[1.0]}"))
        .isEqualTo("{\"predictions\":[2.5]}");
  }

  @Test
  void aKserveListenerPrefersInputsToInstances() {
    assertThat(ask(List.of(KSERVE), "half_plus_two", "{\"instances\":[9.0],\"inputs\":[1.0]}"))
        .isEqualTo("{\"predictions\":[2.5]}");
  }

  @Test
  void aKserveListenerWantsLists() {
    assertThatThrownBy(() -> ask(List.of(KSERVE), "half_plus_two", "{\"instances\":{\"a\":1}}"))
        .isInstanceOf(InferenceException.class)
        .hasMessage("Expected \"instances\" to be a list");
    assertThatThrownBy(() -> ask(List.of(KSERVE), "half_plus_two", "{\"inputs\":{\"x\":[1]}}"))
        .isInstanceOf(InferenceException.class)
        .hasMessage("Expected \"inputs\" to be a list");
  }

  @Test
  void aKserveListenerSaysItsOwnWordsOfMalformedJson() {
    assertThatThrownBy(() -> ask(List.of(KSERVE), "half_plus_two", "{"))
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith("Unrecognized request format: ");
  }

  @Test
  void bytesThatAreNoTextAreWrittenAsBase64() {
    assertThat(both("typed_io", "{\"inputs\":[{\"b64\":\"/w==\"},\"é\"]}"))
        .isEqualTo(
            "{\"outputs\":{\"text\":[{\"b64\":\"/w==\"},\"é\"],"
                + "\"text_bytes\":[{\"b64\":\"/w==\"},{\"b64\":\"w6k=\"}]}}");
  }

  @Test
  void anOptionalInputMayBeLeftOutOfAllRowsButNotOfSome() {
    assertThat(both("opt", "{\"instances\":[{\"x\":1.0},{\"x\":2.0}]}"))
        .isEqualTo("{\"predictions\":[1.0,2.0]}");
    assertThatThrownBy(() -> both("opt", "{\"instances\":[{\"x\":1,\"bias\":1},{\"x\":2}]}"))
        .isInstanceOf(InferenceException.class)
        .hasMessageEndingWith("keys must be equal to: bias,x");
    assertThatThrownBy(() -> both("opt", "{\"instances\":[{\"x\":1},{\"x\":2,\"bias\":1}]}"))
        .isInstanceOf(InferenceException.class)
        .hasMessageStartingWith("Failed to process element: 1 key: bias of 'instances' list.");
  }

  @Test
  void namesWithEscapesAndRepeatedNamesAreUnderstood() {
    assertThat(both("half_plus_two", "{\"inst\\u0061nces\":[{\"\\u0078\":1.0,\"x\":7.0}]}"))
        .isEqualTo("{\"predictions\":[2.5]}");
  }

  private String both(String model, String body) {
    return ask(List.of(TFS, KSERVE), model, body);
  }

  private String ask(List<V1Dialect> dialects, String model, String body) {
    var predict = new Predict(planes, dialects);
    Predict.Call call =
        predict.decode(
            Body.of(body.getBytes(StandardCharsets.UTF_8)),
            new ModelSelector.Latest(model),
            new FakeExchange(),
            Envelope.NONE);
    try (InferenceResponse response = planes.infer(call.request()).result()) {
      return PredictEncoder.encode(response, call.form(), false).toString(StandardCharsets.UTF_8);
    }
  }
}
