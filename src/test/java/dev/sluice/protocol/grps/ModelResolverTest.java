package dev.sluice.protocol.grps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.access.Caller;
import dev.sluice.testing.NamedModels;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelResolverTest {
  private static final NamedModels MODELS =
      new NamedModels(new ModelId("m", 1), new ModelId("m", 3), new ModelId("m-1", 7));

  private static ModelResolver choice(String defaultModel) {
    return new ModelResolver(MODELS, MODELS, Deployment.of(defaultModel));
  }

  @ParameterizedTest(name = "{0} is {1}")
  @CsvSource({"m, m/3", "m-3, m/3", "m-3.0.0, m/3", "m-1, m-1/7", "m-1-7, m-1/7", "m-1.0, m/1"})
  void aNameMeansAVersion(String name, String version) {
    assertThat(choice("").acquire(name, Caller.SERVER).id().toString()).isEqualTo(version);
  }

  @ParameterizedTest
  @CsvSource({"x", "m-2", "m-1.2.0", "m-", "-1", "m-canary", "m-99999999999999999999"})
  void anythingElseIsNotFound(String name) {
    assertThatThrownBy(() -> choice("").acquire(name, Caller.SERVER))
        .isInstanceOf(InferenceException.class)
        .hasMessage("[ExecutorException] Not found model: " + name)
        .extracting(e -> ErrorCode.of((Throwable) e))
        .isEqualTo(ErrorCode.NOT_FOUND);
  }

  @Test
  void withoutANameTheDefaultIsMeant() {
    assertThat(choice("m-1").acquire("", Caller.SERVER).id()).isEqualTo(new ModelId("m-1", 7));
  }

  @Test
  void withoutANameAndADefaultTheOnlyModelIsMeant() {
    var only = new NamedModels(new ModelId("one", 4));
    assertThat(new ModelResolver(only, only, Deployment.of("")).acquire("", Caller.SERVER).id())
        .isEqualTo(new ModelId("one", 4));
  }

  @Test
  void withoutANameAndADefaultAmongSeveralTheSettingIsNamed() {
    assertThatThrownBy(() -> choice("").acquire("", Caller.SERVER))
        .hasMessageContaining("grps.default_model")
        .hasMessageContaining("m, m-1");
  }

  @Test
  void aNameWithoutItsVersionIsTheDeploymentsFirst() {
    var only = new NamedModels(new ModelId("net-1.2.3", 1));
    var deployment = new Deployment("", Map.of("net", "net-1.2.3"), "", Map.of());
    var choice = new ModelResolver(only, only, deployment);
    assertThat(choice.acquire("net", Caller.SERVER).id().name()).isEqualTo("net-1.2.3");
    assertThat(choice.acquire("net-1.2.3", Caller.SERVER).id().name()).isEqualTo("net-1.2.3");
  }
}
