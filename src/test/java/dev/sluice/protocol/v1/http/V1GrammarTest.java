package dev.sluice.protocol.v1.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.v1.http.V1Request.Verb;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class V1GrammarTest {
  @Test
  void aModelMayBeNamedWithVersionOrLabel() {
    assertThat(V1Grammar.read("/v1/models/m"))
        .contains(new V1Request.Status(new ModelSelector.Latest("m")));
    assertThat(V1Grammar.read("/v1/models/m/versions/007"))
        .contains(new V1Request.Status(new ModelSelector.Version("m", 7)));
    assertThat(V1Grammar.read("/v1/models/m/labels/a.b-c"))
        .contains(new V1Request.Status(new ModelSelector.Label("m", "a.b-c")));
  }

  @Test
  void metadataAndVerbsComeBehind() {
    assertThat(V1Grammar.read("/v1/models/m/versions/7/metadata"))
        .contains(new V1Request.Metadata(new ModelSelector.Version("m", 7)));
    assertThat(V1Grammar.read("/v1/models/m:explain"))
        .contains(new V1Request.Call(new ModelSelector.Latest("m"), Verb.EXPLAIN));
    assertThat(V1Grammar.read("/v1/models/m/labels/l:regress"))
        .contains(new V1Request.Call(new ModelSelector.Label("m", "l"), Verb.REGRESS));
  }

  @Test
  void namesAreDecodedAfterThePathWasTakenApart() {
    assertThat(V1Grammar.read("/v1/models/a%2Fb%3Ac+d:predict"))
        .contains(new V1Request.Call(new ModelSelector.Latest("a/b:c+d"), Verb.PREDICT));
  }

  @Test
  void reservedWordsMayBeNames() {
    assertThat(V1Grammar.read("/v1/models/metadata"))
        .contains(new V1Request.Status(new ModelSelector.Latest("metadata")));
    assertThat(V1Grammar.read("/v1/models/versions"))
        .contains(new V1Request.Status(new ModelSelector.Latest("versions")));
  }

  @Test
  void pathsWithoutAModelAreTheListOrNothing() {
    assertThat(V1Grammar.read("/v1/models")).contains(new V1Request.Index());
    assertThat(V1Grammar.read("/v1/models/labels/x")).contains(new V1Request.Nameless());
  }

  @Test
  void aNameMayHoldColonsTheLastOfWhichLeadsToTheVerb() {
    assertThat(V1Grammar.read("/v1/models/m:a:predict"))
        .contains(new V1Request.Call(new ModelSelector.Latest("m:a"), Verb.PREDICT));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1",
        "/v1/",
        "/v1/models/",
        "/v1/models/m/",
        "/v1/models/m:predict/",
        "/v1/models/:predict",
        "/v1/models:predict",
        "/v1/models/m:PREDICT",
        "/v1/models/m:",
        "/v1/models/m/versions/x",
        "/v1/models/m/versions/1/labels/a",
        "/v2/models/m",
        "/v1/models/m/metadata:predict",
        "/v1/models/m/versions/-1"
      })
  void anythingElseIsNothing(String path) {
    assertThat(V1Grammar.read(path)).isEmpty();
  }

  @Test
  void aVersionBeyond64BitsIsRefused() {
    assertThatThrownBy(() -> V1Grammar.read("/v1/models/m/versions/9223372036854775808"))
        .isInstanceOf(InferenceException.class)
        .hasMessage("Failed to convert version: 9223372036854775808 to numeric.");
  }
}
