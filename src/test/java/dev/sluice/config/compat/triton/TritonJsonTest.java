package dev.sluice.config.compat.triton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueuePolicy;
import dev.sluice.testing.Mutations;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    return new ModelConfigReader(ModelConfig.DEFAULT, _ -> {})
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
    assertThat(read.declared())
        .containsEntry("parameters", Map.of("someKey", Map.of("string_value", "someValue")));
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
