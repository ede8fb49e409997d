package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.AdmissionConfig;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.EncoderConfig;
import dev.sluice.config.model.EnsembleConfig;
import dev.sluice.config.model.ExplainConfig;
import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.config.model.IsolationConfig;
import dev.sluice.config.model.JavaConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.QueuePolicy;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.SequenceConfig;
import dev.sluice.config.model.SequenceConfig.Control;
import dev.sluice.config.model.SequenceConfig.ControlKind;
import dev.sluice.config.model.SequenceConfig.State;
import dev.sluice.config.model.SessionOptions;
import dev.sluice.config.model.StreamConfig;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.config.model.TextConfig;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.config.model.ragged.RaggedConfig;
import dev.sluice.testing.RecordCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelConfigReaderTest {
  private static final OnnxConfig.Threads SEVEN_THREADS =
      new OnnxConfig.Threads(Optional.of(7), 1, false, false);

  private static final IsolationConfig ISOLATED =
      new IsolationConfig(IsolationConfig.Mode.PROCESS, 3L << 30, Duration.ofSeconds(5));

  @TempDir private Path folder;
  private final List<String> warnings = new ArrayList<>();
  private Path model;

  @BeforeEach
  void createFolder() throws IOException {
    model = Files.createDirectory(folder.resolve("digits"));
  }

  @Test
  void modelWithoutSettingsHasTheServersDefaults() {
    assertThat(read()).isSameAs(ModelConfig.DEFAULT);
  }

  @Test
  void everyKeyIsRead() throws IOException, ReflectiveOperationException {
    write(
        "model.yml",
        """
        version_policy: all
        labels: { stable: 1, canary: 2 }
        max_batch_size: 8
        max_queue_delay: 2ms
        preferred_batch_size: [4, 6]
        allowed_batch_sizes: [2, 8]
        pad_variable_length_inputs: true
        default_max_batch_size: 5
        stream:
          feedback: { "present.*": "past.*" }
          next: { from: scores, to: ids, as: id, temperature: 0.7, top_k: 40, top_p: 0.9, min_p: 0.05, seed: 7, repetition_penalty: 1.1, presence_penalty: -0.5, frequency_penalty: 0.25 }
          position: pos
          mask: attention_mask
          stop: { tokens: [2, 3], output: done, steps: 20, default_steps: 8, time: 10s }
          emit: [id, scores]
          text: { vocabulary: words.json, as: said, unknown: "?", max_length: 99, context: 2048, special_tokens: true }
          max_streams: 500
          max_padding: 64
          prefill_chunk: 128
          cache_memory: 2MiB
          preemption: false
          prefixes: { memory: 3MiB, shared_by: all }
        instances: 2
        concurrency: 1
        max_queued_requests: 64
        queue_timeout: 3s
        inline_limit: 70us
        queue_full: unavailable
        priority_levels: 3
        default_priority_level: 2
        admission: { adaptive: false, target_wait: 7ms, burst: 9s }
        breaker: { hang: 12s, failures: 13, probe_interval: 14s, readiness: server, abandoned_runs: 15 }
        warmup: false
        warmup_iterations: 9
        explain: { method: shapley, samples: 8, max_samples: 16, max_rows: 1000, batch_size: 4, seed: 5,
                   baseline: 1.5, baseline_file: rows.json }
        onnx: { intra_op_threads: 2, inter_op_threads: 3, allow_spinning: true, memory_arena: false,
                memory_pattern: true, graph_optimization: none }
        tensorflow: { intra_op_threads: 4, inter_op_threads: 5, tags: [train], method_names: true,
                      session_options: "placement_period: 2", mixed_precision: true }
        java: { timeout: 9s, concurrency: 5, path: /my/path, settings: { greeting: Hello, times: 3 } }
        response_cache: true
        isolation: process
        isolation_memory: 3GiB
        isolation_kill_after: 5s
        ensemble:
          inputs: [a]
          outputs: [b]
          steps: [{ model: m, version: 3, inputs: { x: a }, outputs: { y: b } }]
        class_labels: { y: names.txt }
        sequence:
          max_idle: 3s
          max_sequences: 7
          controls: { start: begin }
          state: [{ output: after, input: before, returned: true, dims: [2, 3], file: start.bin }]
        max_batch_bytes: 3KiB
        encoder: { task: rerank, tokenizer: words/tokenizer.json, pooling: cls, normalize: false, activation: none,
                   max_tokens: 77, truncate: false, special_tokens: true, batch_tokens: 78, join: never }
        """);
    ModelConfig read = read();
    assertThat(read)
        .isEqualTo(
            new ModelConfig(
                new VersionPolicyConfig.All(),
                Map.of("stable", 1L, "canary", 2L),
                new BatchingConfig(
                    8, true, Duration.ofMillis(2), List.of(4, 6), List.of(2, 8), true, 5, 3072),
                new QueueConfig(
                    64,
                    Duration.ofSeconds(3),
                    3,
                    2,
                    List.of(),
                    Optional.of(Duration.ofNanos(70_000)),
                    QueueConfig.WhenFull.UNAVAILABLE),
                new ModelConfig.Workers(2, 1),
                new AdmissionConfig(false, Duration.ofMillis(7), Duration.ofSeconds(9)),
                false,
                new ExplainConfig(
                    ExplainConfig.Method.SHAPLEY,
                    Optional.empty(),
                    8,
                    16,
                    1000,
                    4,
                    5,
                    1.5,
                    Optional.of(model.resolve("rows.json"))),
                new RuntimesConfig(
                    new OnnxConfig(
                            new OnnxConfig.Threads(Optional.of(2), 3, true, false),
                            false,
                            true,
                            OnnxConfig.GraphOptimization.NONE)
                        .with(ISOLATED),
                    new TensorflowConfig(
                        4,
                        5,
                        List.of("train"),
                        true,
                        new SessionOptions("placement_period: 2"),
                        true,
                        ISOLATED),
                    new JavaConfig(
                        Duration.ofSeconds(9),
                        Optional.of("/my/path"),
                        Map.of("greeting", "Hello", "times", "3"),
                        5)),
                new StreamConfig(
                    0,
                    true,
                    500,
                    Optional.of(
                        new GeneratorConfig(
                            Map.of("present.*", "past.*"),
                            Optional.of(
                                new GeneratorConfig.Next(
                                    "scores",
                                    "ids",
                                    "id",
                                    new GeneratorConfig.Sampling(
                                        0.7,
                                        40,
                                        0.9,
                                        0.05,
                                        Optional.of(7L),
                                        new GeneratorConfig.Penalties(1.1, -0.5, 0.25),
                                        Map.of()))),
                            Optional.of("pos"),
                            Optional.of("attention_mask"),
                            new GeneratorConfig.Stop(
                                List.of(2, 3), Optional.of("done"), 20, 8, Duration.ofSeconds(10)),
                            List.of("id", "scores"),
                            Optional.of(
                                new TextConfig(
                                    model.resolve("words.json"),
                                    Optional.empty(),
                                    "said",
                                    Optional.of("?"),
                                    99,
                                    2_048,
                                    true)))),
                    64,
                    128,
                    2L << 20,
                    false,
                    new StreamConfig.Prefixes(3L << 20, StreamConfig.SharedBy.ALL)),
                Optional.of(
                    new EnsembleConfig(
                        List.of(
                            new EnsembleConfig.Step("m", 3, Map.of("x", "a"), Map.of("y", "b"))),
                        List.of(EnsembleConfig.Declaration.named("a")),
                        List.of(EnsembleConfig.Declaration.named("b")))),
                Map.of("y", model.resolve("names.txt")),
                Optional.of(
                    new SequenceConfig(
                        Duration.ofSeconds(3),
                        7,
                        List.of(new Control(ControlKind.START, "begin", 0, 1)),
                        List.of(
                            new State(
                                "after",
                                "before",
                                true,
                                List.of(2L, 3L),
                                Optional.of(model.resolve("start.bin")))))),
                true,
                ModelConfig.DEFAULT.declared(),
                9,
                new BreakerConfig(
                    Duration.ofSeconds(12),
                    13,
                    Duration.ofSeconds(14),
                    BreakerConfig.Readiness.SERVER,
                    15),
                new EncoderConfig(
                    EncoderConfig.Task.RERANK,
                    new EncoderConfig.Tokens(
                        Optional.of(model.resolve("words/tokenizer.json")), 77, false, true),
                    new EncoderConfig.Head(
                        Optional.of(EncoderConfig.Pooling.CLS),
                        Optional.of(false),
                        Optional.of(EncoderConfig.Activation.NONE)),
                    new EncoderConfig.Batches(78, EncoderConfig.Join.NEVER)),
                Optional.empty()));
    // A loop has no groups of rows. Whether runs are spread is found out when a model is loaded.
    assertThat(ConfigRecords.same(read, ModelConfig.DEFAULT))
        .containsExactlyInAnyOrder("rows", "model", "declared", "policies", "ragged", "spread");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          batch_input { data_type: TYPE_INT32 source_input: "x" }                     | batch_input.target_name is missing; wanted a tensor's name
          batch_input { target_name: "n" data_type: TYPE_INT32 }                      | batch_input.source_input is []; wanted the name of one input
          batch_input { target_name: "n" data_type: TYPE_INT64 source_input: "x" }    | batch_input.data_type is TYPE_INT64; wanted TYPE_INT32 or TYPE_FP32
          batch_input { target_name: ["n", "n"] data_type: TYPE_FP32 source_input: "x" } | batch_input.target_name is n; wanted each name once
          batch_output { target_name: "y" source_input: "x" }                         | batch_output.target_name is y; wanted one of the names under output, whose dims it has
          """)
  void tritonsBatchInputsAndOutputsThatCannotBeMadeAreRefused(String field, String complaint)
      throws IOException {
    write("config.pbtxt", field);
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(model.resolve("config.pbtxt") + ": " + complaint);
  }

  @Test
  void raggedRowsAreReadWithTheirDefaults() throws IOException {
    write(
        "model.yml",
        """
        max_batch_size: 8
        ragged:
          inputs: [{ name: ids }, { name: frames, axis: 2, pad: -1.5 }]
          mask: mask
          lengths: sizes
          outputs: [{ name: vectors, axis: 3 }]
          max_padding: 0.5
          batch_elements: 77
          prove: false
        """);
    assertThat(read().ragged())
        .contains(
            new RaggedConfig(
                List.of(
                    new RaggedConfig.Input("ids", 1, 0), new RaggedConfig.Input("frames", 2, -1.5)),
                Optional.of("mask"),
                Optional.of("sizes"),
                List.of(new RaggedConfig.Output("vectors", 3)),
                new RaggedConfig.Limits(0.5, 77),
                false));
    write("model.yml", "max_batch_size: 8\nragged: { inputs: [{ name: ids }] }\n");
    assertThat(read().ragged())
        .contains(
            new RaggedConfig(
                List.of(new RaggedConfig.Input("ids", 1, 0)),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                new RaggedConfig.Limits(0.2, 16_384),
                true));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          max_batch_size: 1                  | ragged is set, and max_batch_size is 1; wanted at least 2
          pad_variable_length_inputs: true   | ragged is set, and so is pad_variable_length_inputs; wanted one of them
          sequence: {}                       | ragged is set, and so is sequence; wanted one of them
          encoder: { task: embedding }       | ragged is set, and so is encoder; wanted one of them
          """)
  void raggedRowsDoNotGoTogetherWithOtherWaysToRun(String other, String complaint)
      throws IOException {
    String size = other.startsWith("max_batch_size") ? "" : "max_batch_size: 4\n";
    write("model.yml", size + "ragged: { inputs: [{ name: ids }] }\n" + other + "\n");
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(model.resolve("model.yml") + ": " + complaint);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                 | ragged.inputs is missing; wanted the inputs whose rows have a length
          { inputs: [{ axis: 1 }] }          | ragged.inputs[0].name is missing; wanted a tensor's name
          { inputs: [{ name: a, axis: 0 }] } | ragged.inputs[0].axis is 0; wanted a whole number from 1 to 7
          { inputs: [{ name: a, pad: x }] }  | ragged.inputs[0].pad is "x"; wanted a number from -100000000000000 to 100000000000000
          """)
  void raggedRowsOfNoInputsOrAxesAreRefused(String ragged, String complaint) throws IOException {
    write("model.yml", "max_batch_size: 4\nragged: " + ragged + "\n");
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(model.resolve("model.yml") + ": " + complaint);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sequence: {}             | concurrency is 2, and the requests of a sequence run one after the other; wanted 1, or instances for more sessions
          isolation: process       | concurrency is 2, and a session in a process of its own runs one request at a time; wanted 1, or instances for more sessions
          instances: 513           | concurrency is 2, for each of 513 instances; wanted at most 1024 workers of a model
          """)
  void workersOfOneSessionAreRefusedWhereItCanOnlyHaveOne(String other, String complaint)
      throws IOException {
    write("model.yml", "concurrency: 2\n" + other + "\n");
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(model.resolve("model.yml") + ": " + complaint);
  }

  @Test
  void theServersConcurrencyIsOneForSequences() throws IOException {
    write("model.yml", "sequence: {}\n");
    ModelConfig server = ModelConfig.DEFAULT.withWorkers(new ModelConfig.Workers(2, 3));
    ModelConfig read =
        new ModelConfigReader(
                RecordCopy.with(SluiceConfig.DEFAULT, "repository.defaults", server), warnings::add)
            .read(model);
    assertThat(read.concurrency()).isEqualTo(1);
    assertThat(read.runsAtOnce()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "instance_group { count: 3 } instance_group { }, 1, 4",
    "instance_group { count: 3 } sequence_batching { }, 3, 1"
  })
  void tritonsInstancesShareASessionUnlessTheyMayKeepAState(String text, int instances, int workers)
      throws IOException {
    write("config.pbtxt", text);
    assertThat(read().workers()).isEqualTo(new ModelConfig.Workers(instances, workers));
  }

  @Test
  void modelSaysOfIsolationForWhicheverRuntimeItHasAndARuntimeForItself() throws IOException {
    write("model.yml", "isolation: process\nonnx: { isolation_kill_after: 7s }\n");
    assertThat(read().runtimes().isolation("onnx"))
        .isEqualTo(new IsolationConfig(IsolationConfig.Mode.PROCESS, 0, Duration.ofSeconds(7)));
    assertThat(read().runtimes().isolation("tensorflow").mode())
        .isEqualTo(IsolationConfig.Mode.PROCESS);
    write("model.yml", "tensorflow: { isolation: process }\n");
    assertThat(read().runtimes().isolation("tensorflow").mode())
        .isEqualTo(IsolationConfig.Mode.PROCESS);
    assertThat(read().runtimes().isolation("onnx")).isEqualTo(IsolationConfig.DEFAULT);
  }

  @Test
  void rowsOfAStreamAreRead() throws IOException {
    write("model.yml", "stream: { rows: 3, decoupled: true }\n");
    assertThat(read().stream()).isEqualTo(new StreamConfig(3, true, 1_024, Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rows: 2, feedback: { y: x } | stream.rows is set for a model that is run in a loop
          stop: { steps: 3 }          | stream.stop means nothing without feedback or next
          feedback: { y: x }, stop: { steps: 3, default_steps: 4 } | stream.stop.default_steps is more than steps, which is 3
          next: { top_p: 1.5 }        | stream.next.top_p is 1.5; wanted a number from 0 to 1
          next: { repetition_penalty: 0 } | stream.next.repetition_penalty is 0; wanted a number from 0.01
          next: { temperature: hot }  | stream.next.temperature is "hot"; wanted a number from 0 to
          feedback: { y: x }, rows: x | stream.rows is "x"; wanted a whole number
          feedback: { y: x }, stops: 1 | stream.stops is not a setting; did you mean stop?
          """)
  void aStreamThatCannotBeIsRefused(String settings, String complaint) throws IOException {
    write("model.yml", "stream: { " + settings + " }\n");
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(complaint);
  }

  @Test
  void aDecoupledTritonModelAnswersByAStream() throws IOException {
    write("config.pbtxt", "model_transaction_policy { decoupled: true }");
    assertThat(read().stream().decoupled()).isTrue();
    assertThat(warnings).isEmpty();
  }

  @Test
  void ownSettingsReplaceTheServersKeyByKey() throws IOException {
    write("model.yml", "onnx: { memory_arena: false }\n");
    var server =
        new ModelConfig(
            new VersionPolicyConfig.All(),
            Map.of(),
            BatchingConfig.DEFAULT,
            QueueConfig.DEFAULT,
            3,
            AdmissionConfig.DEFAULT,
            false,
            ExplainConfig.DEFAULT,
            new RuntimesConfig(
                new OnnxConfig(SEVEN_THREADS, true, false, OnnxConfig.GraphOptimization.ALL),
                TensorflowConfig.DEFAULT));
    ModelConfig read =
        new ModelConfigReader(
                RecordCopy.with(SluiceConfig.DEFAULT, "repository.defaults", server), warnings::add)
            .read(model);
    assertThat(read.runtimes().onnx())
        .isEqualTo(new OnnxConfig(SEVEN_THREADS, false, false, OnnxConfig.GraphOptimization.ALL));
    assertThat(read.workers().instances()).isEqualTo(3);
    assertThat(read.versionPolicy()).isEqualTo(new VersionPolicyConfig.All());
  }

  @Test
  void mistakeInModelYmlNamesTheFileAndTheNearestKey() throws IOException {
    write("model.yml", "max_batchsize: 8\n");
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            model.resolve("model.yml")
                + ": max_batchsize is not a setting; did you mean max_batch_size?");
    write("model.yml", "labels: { canary: newest }\n");
    assertThatThrownBy(this::read)
        .hasMessageEndingWith(
            ": labels.canary is \"newest\"; wanted a version, which is a whole number from 0 up");
  }

  @Test
  void tritonSettingsAreRead() throws IOException {
    write(
        "config.pbtxt",
        """
        # what people write
        name: "digits"   backend: 'onnxruntime'
        max_batch_size: 8
        input [ { name: "x" data_type: TYPE_FP32 dims: [ 64 ] } ]
        output [ { name: "label", data_type: TYPE_INT64; dims: [ 1 ] } ]
        version_policy: { latest { num_versions: 2 } }
        instance_group [ { count: 2 kind: KIND_CPU }, { name: "more" } ]
        dynamic_batching <
          max_queue_delay_microseconds: 500
          preferred_batch_size: [ 4, 6 ]
          priority_levels: 3
          default_priority_level: 2
          default_queue_policy {
            timeout_action: REJECT
            default_timeout_microseconds: 7000
            allow_timeout_override: true
            max_queue_size: 32
          }
          priority_queue_policy { key: 3 value { timeout_action: DELAY max_queue_size: 4 } }
          priority_queue_policy { key: 9 value { max_queue_size: 5 } }
        >
        """);
    assertThat(read())
        .usingRecursiveComparison()
        .ignoringFields("declared")
        .isEqualTo(
            new ModelConfig(
                    new VersionPolicyConfig.Latest(2),
                    Map.of(),
                    new BatchingConfig(
                        8, true, Duration.ofNanos(500_000), List.of(4, 6), List.of()),
                    new QueueConfig(
                        68,
                        Duration.ZERO,
                        3,
                        2,
                        List.of(
                            new QueuePolicy(false, Duration.ofMillis(7), true, 32),
                            new QueuePolicy(false, Duration.ofMillis(7), true, 32),
                            new QueuePolicy(true, Duration.ZERO, false, 4)),
                        Optional.empty()),
                    1,
                    AdmissionConfig.DEFAULT,
                    true,
                    ExplainConfig.DEFAULT,
                    RuntimesConfig.DEFAULT)
                .withWorkers(new ModelConfig.Workers(1, 3)));
    assertThat(warnings).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          version_policy { all {} }                        | All[]
          version_policy: { all: { } }                     | All[]
          version_policy { specific { versions: [3] } }    | Specific[versions=[3]]
          version_policy { specific { versions: 3 } }      | Specific[versions=[3]]
          version_policy { latest { } }                    | Latest[count=1]
          """)
  void tritonVersionPoliciesAreRead(String text, String policy) throws IOException {
    write("config.pbtxt", text);
    assertThat(read().versionPolicy()).hasToString(policy);
  }

  @Test
  void whatTritonKnowsAndSluiceDoesNotIsNamedInOneWarning() throws IOException {
    write(
        "config.pbtxt",
        """
        dynamic_batching { preserve_ordering: true }
        instance_group { kind: KIND_GPU gpus: [ 0 ] }
        parameters { key: "a" value { string_value: "b" "c" } }
        parameters { key: "\\"d" value { string_value: "e" } }
        """);
    var declared = read().declared();
    assertThat(declared.getParametersMap()).containsOnlyKeys("a", "\"d");
    assertThat(declared.getParametersOrThrow("a").getStringValue()).isEqualTo("bc");
    assertThat(warnings)
        .containsExactly(
            model.resolve("config.pbtxt")
                + ": has no meaning here: dynamic_batching.preserve_ordering, instance_group.gpus,"
                + " instance_group.kind KIND_GPU");
  }

  @Test
  void fieldsThatNoConfigurationHasAreNamedWithTheirLinesAndTheOthersRead() throws IOException {
    write(
        "config.pbtxt",
        """
        max_batch_size: 4
        made_up { a: 1 b { c: "x" } }
        input { name: "x" odd: [ 1, 2 ] }
        """);
    assertThat(read().batching().maxBatchSize()).isEqualTo(4);
    assertThat(warnings)
        .containsExactly(
            model.resolve("config.pbtxt")
                + ": has no meaning here: made_up (line 2), odd (line 3)");
  }

  @Test
  void tritonSequencesAndClassLabelsAreRead() throws IOException {
    write(
        "config.pbtxt",
        """
        max_batch_size: 8
        output [ { name: "y" label_filename: "labels.txt" }, { name: "after" } ]
        sequence_batching {
          max_sequence_idle_microseconds: 5000
          direct { }
          control_input [
            { name: "S" control [ { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 2 ] } ] },
            { name: "E" control [ { kind: CONTROL_SEQUENCE_END fp32_false_true: [ -1.5, 1.5 ] } ] },
            { name: "R" control [ { kind: CONTROL_SEQUENCE_READY bool_false_true: [ false, true ] } ] },
            { name: "C" control [ { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } ] }
          ]
          state [
            { input_name: "before" output_name: "after" data_type: TYPE_INT32 dims: [ -1, 3 ] },
            { input_name: "a" output_name: "b"
              initial_state: { name: "first" data_type: TYPE_FP32 dims: [ 2 ] data_file: "b.bin" } }
          ]
        }
        """);
    assertThat(read().classLabels()).containsExactly(Map.entry("y", model.resolve("labels.txt")));
    assertThat(read().sequence())
        .contains(
            new SequenceConfig(
                Duration.ofMillis(5),
                8,
                List.of(
                    new Control(ControlKind.START, "S", 0, 2),
                    new Control(ControlKind.END, "E", -1.5, 1.5),
                    new Control(ControlKind.READY, "R", 0, 1),
                    new Control(ControlKind.ID, "C", 0, 1)),
                List.of(
                    new State("after", "before", true, List.of(1L, 3L), Optional.empty()),
                    new State(
                        "b",
                        "a",
                        false,
                        List.of(2L),
                        Optional.of(model.resolve("initial_state/b.bin"))))));
    assertThat(warnings).isEmpty();
  }

  @Test
  void oldestSequencesAreAsManyAsThereAreCandidates() throws IOException {
    write("config.pbtxt", "sequence_batching { oldest { max_candidate_sequences: 4 } }");
    assertThat(read().sequence().orElseThrow().maxSequences()).isEqualTo(4);
    write("config.pbtxt", "sequence_batching { oldest { preferred_batch_size: 4 } }");
    assertThat(read().sequence().orElseThrow().maxSequences()).isOne();
    assertThat(warnings).anyMatch(warning -> warning.contains("oldest.preferred_batch_size"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          model.yml    | class_labels: { y: ../labels.txt }  | class_labels is '../labels.txt'
          model.yml    | class_labels: { y: /etc/passwd }    | class_labels is '/etc/passwd'
          config.pbtxt | output { name: "y" label_filename: "../l" } | class_labels is '../l'
          model.yml    | sequence: { state: [{ input: a, output: b, file: /a }] } | sequence.state.file is '/a'
          config.pbtxt | sequence_batching { state { input_name: "a" output_name: "b" initial_state { data_file: "../../a" } } } | sequence.state.file is 'initial_state/../../a'
          """)
  void filesOutsideOfTheModelsFolderAreRefused(String file, String text, String complaint)
      throws IOException {
    write(file, text);
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(model + ": " + complaint + "; wanted a file in the model's folder");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sequence_batching { state { input_name: "a" } } | output_name is missing; wanted a tensor's name
          sequence_batching { control_input { name: "a" control { int32_false_true: 1 } } } | int32_false_true is 1 values; wanted one for false and one for true
          sequence_batching { control_input { control { fp32_false_true: [a] } } } | line 1: Couldn't parse number: For input string: "a" in: sequence_batching { control_input { control { fp32_false_true: [a] } } }
          sequence_batching { state { input_name: "a" output_name: "b" dims: -2 } } | dims is -2; wanted a whole number from -1 up
          """)
  void mistakeInTritonSequencesIsNamed(String text, String complaint) throws IOException {
    write("config.pbtxt", text);
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(model.resolve("config.pbtxt") + ": " + complaint);
  }

  @Test
  void tritonModelIsJoinedOnlyWithDynamicBatching() throws IOException {
    write("config.pbtxt", "max_batch_size: 8");
    assertThat(read().batching().maxBatchSize()).isEqualTo(8);
    assertThat(read().batching().joined()).isFalse();
    write("config.pbtxt", "max_batch_size: 8 dynamic_batching { }");
    assertThat(read().batching().joined()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          allowed_batch_sizes: [4, 2, 8]  | allowed_batch_sizes is [4, 2, 8]; wanted sizes that grow, the last of them max_batch_size, which is 8
          allowed_batch_sizes: [2, 4]     | allowed_batch_sizes is [2, 4]; wanted sizes that grow, the last of them max_batch_size, which is 8
          preferred_batch_size: [4, 9]    | preferred_batch_size[1] is 9; wanted a whole number from 1 to 8
          priority_levels: 65             | priority_levels is 65; wanted a whole number from 1 to 64
          default_priority_level: 2       | default_priority_level is 2; wanted a whole number from 1 to 1
          """)
  void sizesThatDoNotGoTogetherAreRefused(String line, String complaint) throws IOException {
    write("model.yml", "max_batch_size: 8\n" + line + "\n");
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(model.resolve("model.yml") + ": " + complaint);
  }

  @Test
  void ownSettingsComeBeforeTritons() throws IOException {
    write("model.yml", "instances: 2\n");
    write("config.pbtxt", "max_batch_size: 8 nonsense");
    assertThat(read().batching().maxBatchSize()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          max_batch_size: eight         | line 1: Couldn't parse integer: For input string: "eight" in: max_batch_size: eight
          max_batch_size: -1            | max_batch_size is -1; wanted a whole number from 0 to 1048576
          max_batch_size { }            | line 1: Expected ":" in: max_batch_size { }
          max_batch_size 8              | line 1: Expected ":" in: max_batch_size 8
          max_batch_size:               | line 1: Couldn't parse integer: For input string: "" in: max_batch_size:
          name: "a                      | line 1: String missing ending quote in: name: "a
          name: "a\\n"                   | line 1: String missing ending quote in: name: "a
          dynamic_batching {            | line 1: Expected "}" in: dynamic_batching {
          \\n\\n}                         | line 3: Expected identifier. Found '}' in: }
          input [ {} {} ]               | line 1: Expected "," in: input [ {} {} ]
          max_batch_size: 4 dynamic_batching { preferred_batch_size: 8 } | preferred_batch_size is 8; wanted a whole number from 1 to 4
          dynamic_batching { priority_levels: 2 default_priority_level: 3 } | default_priority_level is 3; wanted a whole number from 0 to 2
          dynamic_batching: 3           | line 1: Expected "{" in: dynamic_batching: 3
          instance_group { count: 1024 } instance_group { } | instance_group is 1025 instances; wanted at most 1024
          """)
  void mistakeInTritonSettingsIsNamed(String text, String complaint) throws IOException {
    write("config.pbtxt", text.replace("\\n", "\n"));
    assertThatThrownBy(this::read)
        .isInstanceOf(ConfigException.class)
        .hasMessage(model.resolve("config.pbtxt") + ": " + complaint);
  }

  @Test
  void deepNestingIsRefused() throws IOException {
    write("config.pbtxt", "a {".repeat(10_000));
    assertThatThrownBy(this::read)
        .hasMessageContaining("line 1: Message is nested too deep in: a {a {");
  }

  private ModelConfig read() {
    return new ModelConfigReader(SluiceConfig.DEFAULT, warnings::add).read(model);
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(model.resolve(name), text);
  }
}
