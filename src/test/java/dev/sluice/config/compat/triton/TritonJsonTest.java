package dev.sluice.config.compat.triton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueuePolicy;
import dev.sluice.testing.Mutations;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TritonJsonTest {
  private static final String SNAKE =
      """
      {"max_batch_size":"16",
       "dynamic_batching":{"max_queue_delay_microseconds":"5","priority_levels":2,
         "default_queue_policy":{"timeout_action":"DELAY","default_timeout_microseconds":7},
         "priority_queue_policy":{"2":{"max_queue_size":3}}},
       "parameters":{"someKey":{"string_value":"someValue"}},
       "input":[{"name":"x","data_type":"TYPE_FP32","dims":["-1"]}],
       "version_policy":{"specific":{"versions":["1",3]}},"instance_group":[{"count":2}]}
      """;
  private static final String CAMEL =
      """
      {"maxBatchSize":16,
       "dynamicBatching":{"maxQueueDelayMicroseconds":5,"priorityLevels":"2",
         "defaultQueuePolicy":{"timeoutAction":"DELAY","defaultTimeoutMicroseconds":"7"},
         "priorityQueuePolicy":{"2":{"maxQueueSize":3}}},
       "parameters":{"someKey":{"stringValue":"someValue"}},
       "input":[{"name":"x","dataType":"TYPE_FP32","dims":[-1]}],
       "versionPolicy":{"specific":{"versions":[1,3]}},"instanceGroup":[{"count":2}]}
      """;

  private static ModelConfig read(String json) {
    return new ModelConfigReader(SluiceConfig.DEFAULT, _ -> {})
        .readJson("m", json, Path.of("models", "m"));
  }

  @Test
  void fieldsAreKnownByBothOfTheirNames() {
    ModelConfig read = read(SNAKE);
    assertThat(read(CAMEL)).isEqualTo(read);
    assertThat(read.batching().maxBatchSize()).isEqualTo(16);
    assertThat(read.queue().policies())
        .containsExactly(
            new QueuePolicy(true, Duration.ofNanos(7_000), false, 0),
            new QueuePolicy(false, Duration.ZERO, false, 3));
    assertThat(read.declared().getParametersOrThrow("someKey").getStringValue())
        .isEqualTo("someValue");
  }

  @Test
  void answerShowsDefaultsAndLongNumbersAsNumbers() {
    JsonObject shown = new JsonObject(TritonJson.print(read(CAMEL).declared()));
    assertThat(shown.getJsonObject("dynamic_batching").getValue("max_queue_delay_microseconds"))
        .isEqualTo(5);
    assertThat(shown.getJsonArray("input").getJsonObject(0))
        .isEqualTo(
            new JsonObject(
                """
                {"name":"x","data_type":"TYPE_FP32","format":"FORMAT_NONE","dims":[-1],
                 "is_shape_tensor":false,"allow_ragged_batch":false,"optional":false,
                 "is_non_linear_format_io":false}
                """));
    assertThat(shown.getJsonObject("parameters").getJsonObject("someKey"))
        .isEqualTo(JsonObject.of("string_value", "someValue"));
    assertThat(shown.getJsonArray("output")).isEmpty();
    assertThat(shown.containsKey("optimization")).isFalse();
  }

  @Test
  void unknownFieldsAreNamedWithTheirPlacesAndTheOthersRead() {
    List<String> warnings = new ArrayList<>();
    ModelConfig read =
        new ModelConfigReader(SluiceConfig.DEFAULT, warnings::add)
            .readJson(
                "m",
                """
                {"nope":{"a":1},"maxBatchSize":2,"input":[{"name":"x","odd":1}],
                 "parameters":{"a":{"strange":1}},"optimization":{"cuda":{"graphs":true}}}
                """,
                Path.of("models", "m"));
    assertThat(read.batching().maxBatchSize()).isEqualTo(2);
    assertThat(warnings)
        .containsExactly(
            "config of model 'm': has no meaning here: input.odd, nope, optimization.cuda,"
                + " parameters.strange");
  }

  @Test
  void valueOfAWrongTypeIsNamedByItsOutermostField() {
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() -> read("{\"max_batch_size\":\"many\"}"))
        .withMessage("config of model 'm': max_batch_size: Not an int32 value: \"many\"");
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() -> read("{\"input\":[{\"data_type\":\"TYPE_X\"}]}"))
        .withMessageContaining("input: Invalid enum value: \"TYPE_X\"");
  }

  @Test
  void damagedTextIsReadOrRefusedWithAText() {
    for (String text : List.of(SNAKE, CAMEL)) {
      byte[] whole = text.getBytes(StandardCharsets.UTF_8);
      var mutations = new Mutations(7);
      for (int i = 0; i < 5_000; i++) {
        String damaged = new String(mutations.damage(whole), StandardCharsets.UTF_8);
        try {
          read(damaged);
        } catch (ConfigException e) {
          assertThat(e).hasMessageContaining("config of model 'm'");
        }
      }
    }
  }

  @Test
  void deepTextIsRefusedBeforeItIsFollowed() {
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() -> read("{\"a\":".repeat(100_000)))
        .withMessageContaining("is no JSON");
  }
}
