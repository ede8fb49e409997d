package dev.sluice.protocol.kserve.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.v1.http.V1Dialect.Refusal;
import dev.sluice.protocol.v1.http.V1Report;
import dev.sluice.protocol.v1.http.V1Request;
import dev.sluice.protocol.v1.http.V1Request.Verb;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KserveDialectTest {
  private static final ModelSelector LATEST = new ModelSelector.Latest("iris");
  private static final ModelSelector VERSION = new ModelSelector.Version("iris", 3);

  private final KserveDialect dialect = new KserveDialect(EventAttributes.DEFAULT);

  @Test
  void itKnowsTheListOfModelsAndModelsWithoutAVersion() {
    assertThat(dialect.speaks(new V1Request.Index())).isTrue();
    assertThat(dialect.speaks(new V1Request.Status(LATEST))).isTrue();
    assertThat(dialect.speaks(new V1Request.Call(LATEST, Verb.PREDICT))).isTrue();
    assertThat(dialect.speaks(new V1Request.Call(LATEST, Verb.EXPLAIN))).isTrue();
  }

  @Test
  void itKnowsNoVersionsNorMetadata() {
    assertThat(dialect.speaks(new V1Request.Status(VERSION))).isFalse();
    assertThat(dialect.speaks(new V1Request.Call(VERSION, Verb.PREDICT))).isFalse();
    assertThat(dialect.speaks(new V1Request.Metadata(LATEST))).isFalse();
    assertThat(dialect.speaks(new V1Request.Nameless())).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = Verb.class,
      names = {"CLASSIFY", "REGRESS"})
  void verbsOfTensorflowServingAreNotItsOwn(Verb verb) {
    assertThat(dialect.speaks(new V1Request.Call(LATEST, verb))).isFalse();
  }

  @Test
  void theListHasTheNamesAlone() {
    assertThat(written(new V1Report.Models(List.of("a", "b\"c"))))
        .isEqualTo("{\"models\":[\"a\",\"b\\\"c\"]}");
    assertThat(written(new V1Report.Models(List.of()))).isEqualTo("{\"models\":[]}");
  }

  @Test
  void aModelIsReadyIfAnyVersionTakesRequests() {
    assertThat(written(versions(VersionState.UNLOADING, VersionState.AVAILABLE)))
        .isEqualTo("{\"name\":\"iris\",\"ready\":true}");
    assertThat(written(versions(VersionState.LOADING)))
        .isEqualTo("{\"name\":\"iris\",\"ready\":false}");
  }

  private String written(V1Report report) {
    var out = new JsonWriter(64);
    out.raw('{');
    dialect.write(report, out);
    return out.raw('}').toBuffer().toString(UTF_8);
  }

  private static V1Report.Versions versions(VersionState... states) {
    List<VersionStatus> all =
        IntStream.range(0, states.length)
            .mapToObj(i -> VersionStatus.of(i + 1, states[i]))
            .toList();
    return new V1Report.Versions("iris", all, Optional.empty(), Optional.empty());
  }

  @Test
  void aModelThatThereIsNotIsNamed() {
    InferenceException refusal = dialect.refuse(LATEST, Optional.empty()).orElseThrow();
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(refusal).hasMessage("Model with name iris does not exist.");
    assertThat(dialect.refuse(LATEST, new ModelLookup.UnknownModel("iris")).getMessage())
        .isEqualTo(refusal.getMessage());
  }

  @Test
  void aModelThatLoadsIsStarting() {
    InferenceException refusal =
        dialect.refuse(LATEST, Optional.of(versions(VersionState.LOADING))).orElseThrow();
    assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(refusal.isStarting()).isTrue();
    assertThat(refusal).hasMessage("Model with name iris is not ready.");
  }

  @Test
  void aModelThatIsReadyIsNotRefused() {
    assertThat(dialect.refuse(LATEST, Optional.of(versions(VersionState.AVAILABLE)))).isEmpty();
  }

  @Test
  void aModelOutOfServiceIsRefusedWithTheReason() {
    var problem = new ModelProblem("100 runs in a row failed", false);
    var report =
        new V1Report.Versions(
            "iris",
            List.of(VersionStatus.of(1, VersionState.AVAILABLE)),
            Optional.of(problem),
            Optional.empty());
    InferenceException refusal = dialect.refuse(LATEST, Optional.of(report)).orElseThrow();
    assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(refusal.isStarting()).isFalse();
    assertThat(refusal)
        .hasMessage(
            "Model with name iris is not ready. It is out of service: 100 runs in a row failed");
  }

  @Test
  void aVersionThatFailedToLoadIsRefusedWithItsStateAndReason() {
    var missed = new ModelLookup.NotReady("iris", 1, VersionState.END, "no such file");
    InferenceException refusal = dialect.refuse(LATEST, missed);
    assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(refusal.isStarting()).isFalse();
    assertThat(refusal).hasMessage("Model with name iris is not ready. It is END: no such file");
  }

  @Test
  void aKnownPathWithAnotherMethodIsNotAllowedAndAnyOtherIsNotFound() {
    assertThat(
            dialect.noSuchRequest(
                HttpMethod.DELETE, "/v1/models/iris", Optional.of(new V1Request.Status(LATEST))))
        .isEqualTo(new Refusal(405, "detail", "Method Not Allowed"));
    assertThat(
            dialect.noSuchRequest(
                HttpMethod.GET,
                "/v1/models/iris/metadata",
                Optional.of(new V1Request.Metadata(LATEST))))
        .isEqualTo(new Refusal(404, "detail", "Not Found"));
    assertThat(dialect.noSuchRequest(HttpMethod.GET, "/v1/model", Optional.empty()))
        .isEqualTo(new Refusal(404, "detail", "Not Found"));
  }
}
