package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.binding.YamlFile;
import dev.sluice.config.compat.grps.CustomPredictConfig;
import dev.sluice.config.compat.grps.GrpsConfig;
import dev.sluice.config.compat.grps.StreamControlConfig;
import dev.sluice.config.model.AdmissionConfig;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.EncoderConfig;
import dev.sluice.config.model.ExplainConfig;
import dev.sluice.config.model.IsolationConfig;
import dev.sluice.config.model.JavaConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.OnnxConfig.GraphOptimization;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.SessionOptions;
import dev.sluice.config.model.StreamConfig;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.config.otlp.CollectorConfig;
import dev.sluice.config.otlp.MetricsExportConfig;
import dev.sluice.config.otlp.TracingConfig;
import dev.sluice.config.security.ApiKey;
import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.JwtConfig;
import dev.sluice.config.security.Pem;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.security.SocketAccess;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.security.TrustConfig;
import dev.sluice.config.server.AccessLogConfig;
import dev.sluice.config.server.ConnectionConfig;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.InferenceLogConfig;
import dev.sluice.config.server.KserveConfig;
import dev.sluice.config.server.LatencyMetricsConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.ListenerConfig.V1Dialect;
import dev.sluice.config.server.LoadingConfig;
import dev.sluice.config.server.LogConfig;
import dev.sluice.config.server.OipConfig;
import dev.sluice.config.server.RateLimitConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.config.server.SharedMemoryConfig;
import dev.sluice.config.server.ShutdownConfig;
import dev.sluice.config.server.SocketTransport;
import dev.sluice.config.server.StartupConfig;
import dev.sluice.config.server.TensorflowModelsConfig;
import dev.sluice.config.server.TfsConfig;
import dev.sluice.config.server.TraceConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SluiceConfigReaderTest {
  private static final String EVERY_KEY =
      """
      security:
        policies:
          - identities: ["key:ci"]
            roles: [control, metrics]
            models: ["ranker-*"]
            listeners: ["0.0.0.0:9001"]
            highest_priority: 2
        api_keys:
          file: keys.txt
          keys: ["ci: sha256:9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f"]
        jwt:
          jwks_url: https://issuer.example/keys
          refresh: 1m
          issuer: https://issuer.example
          audience: [sluice, other]
          algorithms: [ps512]
          clock_skew: 5s
          roles_claim: realm_access.roles
        share: 0.25
      listeners:
        - address: "[::1]:9000"
          protocols: [oip]
          v1: kserve
          metrics_path: /prometheus
          control: true
          cors: true
          tls:
            certificate: c.pem
            key: k.pem
            client_ca: ca.pem
            min_version: 1.3
            reload_interval: 3s
        - 0.0.0.0:9001
      models:
        directory: /data/models
        list: { digits: /data/digits }
        control: explicit
        load: [digits, letters]
        strict_readiness: false
        poll_interval: 5s
        rate_limit: { mode: execution_count, resources: ["R1:4", "R2:5:0"] }
        loading: { threads: 3, retries: 4, retry_interval: 7s, transition: resources, reread: true }
        tensorflow_config:
          file: models.config
          poll_interval: 8s
          labels_for_unavailable: true
          batching_in_versions: true
        roots: [/data]
        plugins: [words, /data/code]
        uploaded_saved_models: true
        defaults:
          version_policy: { specific: [1, 3] }
          max_batch_size: 8
          max_queue_delay: 2ms
          preferred_batch_size: [4, 6]
          allowed_batch_sizes: [2, 8]
          pad_variable_length_inputs: true
          default_max_batch_size: 5
          max_batch_bytes: 3KiB
          queue_timeout: 3s
          inline_limit: 70us
          queue_full: unavailable
          priority_levels: 3
          default_priority_level: 2
          instances: 2
          concurrency: 5
          max_queued_requests: 64
          admission: { adaptive: false, target_wait: 7ms, burst: 9s }
          breaker: { hang: 12s, failures: 13, probe_interval: 14s, readiness: server, abandoned_runs: 15 }
          warmup: false
          warmup_iterations: 9
          response_cache: true
          explain: { method: shapley, samples: 8, max_samples: 16, max_rows: 1000, batch_size: 4, seed: 5,
                     baseline: 1.5, baseline_file: rows.json }
      limits:
        cache_size: 3MiB
        max_output_size: 4MiB
        memory: 5MiB
        onnx_memory: 7MiB
        connection_memory: 8MiB
        max_header_fields: 50
        max_connections_per_peer: 8
        header_timeout: 9s
        min_upload_rate: 10
        write_timeout: 11s
        max_body_size: 1MiB
        max_inflated_size: 2MiB
        offload_size: 1000
        request_timeout: 3s
        idle_timeout: 1h
        max_connections: 7
      onnx:
        intra_op_threads: 2
        inter_op_threads: 3
        allow_spinning: true
        memory_arena: false
        memory_pattern: true
        graph_optimization: basic
        isolation: process
        isolation_memory: 1GiB
        isolation_kill_after: 3s
      tensorflow:
        intra_op_threads: 4
        inter_op_threads: 5
        tags: [serve, gpu]
        method_names: true
        session_options: "allow_soft_placement: true"
        mixed_precision: true
        isolation: process
        isolation_memory: 2GiB
        isolation_kill_after: 4s
      java:
        timeout: 9s
        concurrency: 6
      grps:
        default_model: digits
        online_at_start: true
        streaming_ctrl:
          { ctrl_mode: header_param, ctrl_key: x-stream, res_content_type: text/plain }
        customized_predict_http: { path: /v1/chat, customized_body: true }
        max_connections: 50
      kserve:
        event_type: answer
        event_source: /here
        event_merge: true
      tfs:
        tensor_content: true
        request_log_folder: /var/log/requests
      oip:
        server_name: triton
        forward_http_headers: "x-.*"
        forward_grpc_metadata: "y-.*"
        shared_memory: { enabled: true, directory: /dev/shm/x, max_regions: 7, idle_timeout: 2m }
        trace:
          timestamps: true
          rate: 5
          count: 6
          log_frequency: 7
          tensors: true
          file: trace.json
          max_size: 2MiB
        latencies: { counters: false, histograms: true, summaries: true, summary_quantiles: [0.5, 0.75] }
      log:
        format: json
        level: debug
        file: sluice.log
        line_start: glog
        suppressed: [warn]
      access_log:
        enabled: true
        format: pattern
        pattern: $status ${path}
        file: access.log
        max_file_size: 1KiB
        max_files: 3
        probes: false
        max_waiting: 7
      inference_log:
        url: https://events.example/x
        sample_ratio: 0.5
        max_tensor_size: 1KiB
        max_record_size: 2KiB
        max_file_size: 3KiB
        max_files: 4
        redact: [ssn, digits/image]
      load_reports: always
      event_loops: 6
      transport: nio
      shutdown:
        grace_period: 500us
        drain_timeout: 10m
      tracing:
        server_timing: always
        endpoint: https://collector:4318
        protocol: grpc
        headers: [k=v]
        sampling_ratio: 0.5
        parent_based: false
        service_name: ranking
        resource: [a=b, c=d]
      metrics_export:
        endpoint: http://collector:4318
        protocol: grpc
        headers: [k=v]
        interval: 2m
      startup:
        warm_up: 11m
      """;

  private static final SluiceConfig EVERY_KEY_READ =
      new SluiceConfig(
          List.of(
              new ListenerConfig(
                  "::1",
                  9000,
                  Set.of(Protocol.OIP),
                  V1Dialect.KSERVE,
                  "/prometheus",
                  ControlAccess.OPEN,
                  true,
                  Optional.of(
                      new TlsConfig(
                          new Pem.InFile(Path.of("c.pem")),
                          new Pem.InFile(Path.of("k.pem")),
                          Optional.of(new Pem.InFile(Path.of("ca.pem"))),
                          true,
                          Duration.ofSeconds(3)))),
              new ListenerConfig(
                  "0.0.0.0",
                  9001,
                  Set.of(Protocol.values()),
                  V1Dialect.BOTH,
                  "/metrics",
                  ControlAccess.POLICY,
                  false,
                  Optional.empty())),
          new RepositoryConfig(
              new DesiredModels(
                  Path.of("/data/models"),
                  Map.of("digits", ListedModel.in(Path.of("/data/digits")))),
              new ControlConfig(ControlConfig.Mode.EXPLICIT, Set.of("digits", "letters"), false),
              Duration.ofSeconds(5),
              new LoadingConfig(
                  3, 4, Duration.ofSeconds(7), LoadingConfig.Transition.RESOURCES, true),
              new TensorflowModelsConfig(
                  Optional.of(Path.of("models.config")), Duration.ofSeconds(8), true, true),
              new TrustConfig(
                  List.of(Path.of("/data")), Set.of("words"), List.of(Path.of("/data/code")), true),
              new ModelConfig(
                  new VersionPolicyConfig.Specific(Set.of(1L, 3L)),
                  Map.of(),
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
                  new ModelConfig.Workers(2, 5),
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
                      Optional.of(Path.of("rows.json"))),
                  new RuntimesConfig(
                      new OnnxConfig(
                              new OnnxConfig.Threads(Optional.of(2), 3, true, false),
                              false,
                              true,
                              GraphOptimization.BASIC)
                          .with(isolated(1, 3)),
                      new TensorflowConfig(
                          4,
                          5,
                          List.of("serve", "gpu"),
                          true,
                          new SessionOptions("allow_soft_placement: true"),
                          true,
                          isolated(2, 4)),
                      new JavaConfig(Duration.ofSeconds(9), Optional.empty(), Map.of(), 6)),
                  StreamConfig.DEFAULT,
                  Optional.empty(),
                  Map.of(),
                  Optional.empty(),
                  true,
                  ModelConfig.DEFAULT.declared(),
                  9,
                  new BreakerConfig(
                      Duration.ofSeconds(12),
                      13,
                      Duration.ofSeconds(14),
                      BreakerConfig.Readiness.SERVER,
                      15),
                  EncoderConfig.DEFAULT,
                  Optional.empty()),
              new RateLimitConfig(
                  RateLimitConfig.Mode.EXECUTION_COUNT,
                  List.of(
                      new RateLimitConfig.Available("R1", 4, Optional.empty()),
                      new RateLimitConfig.Available("R2", 5, Optional.of(0))))),
          new LimitsConfig(
              1 << 20,
              2 << 20,
              1000,
              Duration.ofSeconds(3),
              Duration.ofHours(1),
              7,
              3 << 20,
              4 << 20,
              5 << 20,
              7 << 20,
              new ConnectionConfig(
                  8 << 20, 8, 50, Duration.ofSeconds(9), 10, Duration.ofSeconds(11))),
          new SluiceConfig.Protocols(
              new GrpsConfig(
                  Optional.of("digits"),
                  true,
                  new StreamControlConfig(
                      StreamControlConfig.Mode.HEADER_PARAM, "x-stream", "text/plain"),
                  new CustomPredictConfig(Optional.of("/v1/chat"), true),
                  50,
                  Optional.empty()),
              new KserveConfig("answer", Optional.of("/here"), true),
              new TfsConfig(true, Optional.of(Path.of("/var/log/requests"))),
              new OipConfig(
                  "triton",
                  Optional.of("x-.*"),
                  Optional.of("y-.*"),
                  new TraceConfig(true, 5, 6, 7, true, Optional.of(Path.of("trace.json")), 2 << 20),
                  new LatencyMetricsConfig(false, true, true, List.of(0.5, 0.75)),
                  new SharedMemoryConfig(true, Path.of("/dev/shm/x"), 7, Duration.ofMinutes(2)))),
          new SecurityConfig(
              List.of(
                  new PolicyConfig(
                      List.of("key:ci"),
                      Set.of(PolicyConfig.Role.CONTROL, PolicyConfig.Role.METRICS),
                      List.of("ranker-*"),
                      List.of("0.0.0.0:9001"),
                      2)),
              new ApiKeysConfig(
                  List.of(
                      new ApiKey(
                          "ci",
                          "9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f")),
                  Optional.of(Path.of("keys.txt"))),
              new JwtConfig(
                  Optional.empty(),
                  Optional.of(URI.create("https://issuer.example/keys")),
                  Duration.ofMinutes(1),
                  "https://issuer.example",
                  List.of("sluice", "other"),
                  Set.of(JwtConfig.Algorithm.PS512),
                  Duration.ofSeconds(5),
                  "realm_access.roles"),
              0.25),
          new SluiceConfig.Observability(
              new LogConfig(
                  LogConfig.Format.JSON,
                  LogConfig.Level.DEBUG,
                  Optional.of(Path.of("sluice.log")),
                  LogConfig.LineStart.GLOG,
                  Set.of(LogConfig.Suppressible.WARN)),
              new TracingConfig(
                  TracingConfig.Timing.ALWAYS,
                  new CollectorConfig(
                      Optional.of(URI.create("https://collector:4318")),
                      CollectorConfig.Protocol.GRPC,
                      List.of("k=v")),
                  0.5,
                  false,
                  "ranking",
                  List.of("a=b", "c=d")),
              new MetricsExportConfig(
                  new CollectorConfig(
                      Optional.of(URI.create("http://collector:4318")),
                      CollectorConfig.Protocol.GRPC,
                      List.of("k=v")),
                  Duration.ofMinutes(2)),
              new AccessLogConfig(
                  true,
                  AccessLogConfig.Format.PATTERN,
                  "$status ${path}",
                  Optional.of(Path.of("access.log")),
                  1_024,
                  3,
                  false,
                  7),
              new InferenceLogConfig(
                  Optional.empty(),
                  Optional.of(URI.create("https://events.example/x")),
                  0.5,
                  1_024,
                  2_048,
                  3_072,
                  4,
                  Set.of("ssn", "digits/image")),
              LoadReports.ALWAYS),
          new SluiceConfig.ServerProcess(
              6,
              SocketTransport.NIO,
              new StartupConfig(Duration.ofMinutes(11)),
              new ShutdownConfig(Duration.ofNanos(500_000), Duration.ofMinutes(10))));

  @TempDir private Path folder;
  private final List<String> warnings = new ArrayList<>();

  private static IsolationConfig isolated(long gibibytes, long seconds) {
    return new IsolationConfig(
        IsolationConfig.Mode.PROCESS, gibibytes << 30, Duration.ofSeconds(seconds));
  }

  @Test
  void nothingSetIsTheDefaults() {
    assertThat(read("")).isEqualTo(SluiceConfig.DEFAULT);
    assertThat(read("# only a comment\n")).isEqualTo(SluiceConfig.DEFAULT);
    assertThat(read("limits:\ngrps: {}\n")).isEqualTo(SluiceConfig.DEFAULT);
    assertThat(new SluiceConfigReader(warnings::add).read(Optional.empty(), Map.of(), List.of()))
        .isEqualTo(SluiceConfig.DEFAULT);
  }

  @Test
  void everyKeyIsRead() {
    assertThat(read(EVERY_KEY)).isEqualTo(EVERY_KEY_READ);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          pattern: $stat                   | names the field 'stat'; wanted one of time, client,
          pattern: "$time $"               | names the field ''; wanted one of
          pattern: "$time\\n$path"         | has 2 lines; wanted one
          enabled: true, file: /no/way/x   | is /no/way/x; wanted a file in a folder that there is
          enabled: true, format: pattern   | is pattern on the standard error, where log.format lets nothing but JSON be
          """)
  void anAccessLogThatCanNotBeWrittenIsAnError(String settings, String complaint) {
    assertThatThrownBy(() -> read("log: { format: json }\naccess_log: { " + settings + " }\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("access_log.")
        .hasMessageContaining(complaint);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          url: ftp://x                  | is 'ftp://x'; wanted one such as http://logger.example/events
          url: "http://a b"             | is 'http://a b'; wanted
          file: /no/way/x               | is /no/way/x; wanted a file in a folder that there is
          file: x, url: http://x        | is set, and inference_log.file too; wanted one of them
          """)
  void anInferenceLogThatCanNotBeWrittenIsAnError(String settings, String complaint) {
    assertThatThrownBy(() -> read("inference_log: { " + settings + " }\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("inference_log.")
        .hasMessageContaining(complaint);
  }

  @Test
  void noKeyIsForgottenHere() throws ReflectiveOperationException {
    // Labels, streams, ensembles, sequences, Triton's queue policies belong to one model;
    // ModelConfigReaderTest has them. A deployment of grps is files of its own. What Triton's
    // command restricts has no setting.
    assertThat(ConfigRecords.same(EVERY_KEY_READ, SluiceConfig.DEFAULT))
        .containsExactly(
            "labels",
            "policies",
            "model",
            // Found out when a model is loaded.
            "spread",
            "path",
            "settings",
            "rows",
            "decoupled",
            "maxStreams",
            "generator",
            "maxPadding",
            "prefillChunk",
            "cacheMemory",
            "preemption",
            "memory",
            "sharedBy",
            "ensemble",
            "classLabels",
            "sequence",
            "declared",
            // An encoder is one model's.
            "task",
            "tokenizer",
            "maxTokens",
            "truncate",
            "specialTokens",
            "pooling",
            "normalize",
            "activation",
            "batchTokens",
            "join",
            "ragged",
            "deployment",
            // The keys of tokens come from an address or from a file.
            "keys",
            "restricted",
            // The inference log goes to an address or to a file.
            "file");
  }

  @Test
  void shippedSettingsAreTheDefaultsAndNameEverySetting() throws IOException {
    Path shipped = Path.of("conf/sluice.yml");
    assertThat(read(Files.readString(shipped))).isEqualTo(SluiceConfig.DEFAULT);
    var tree = YamlFile.read(shipped);
    assertThat(SluiceConfigReader.settings())
        .allSatisfy(setting ->
            assertThat(tree.at("/" + setting.replace('.', '/')).isMissingNode()).isFalse());
    assertThat(tree.at("/listeners/0").properties())
        // An address is two components; a socket's mode and group are one.
        .hasSize(ListenerConfig.class.getRecordComponents().length);
  }

  @Test
  void aListenerMayBeAUnixDomainSocket() {
    ListenerConfig socket = read("listeners: [unix:/run/a.sock]\n").listeners().getFirst();
    assertThat(socket.socket()).contains(Path.of("/run/a.sock"));
    assertThat(socket.address()).isEqualTo("unix:/run/a.sock");
    assertThatThrownBy(() -> read("listeners: [unix:/run/a.sock, unix:/run/a.sock]\n"))
        .hasMessageContaining("name unix:/run/a.sock twice");
    ListenerConfig shared =
        read("listeners: [{address: unix:/run/a.sock, socket_mode: '0660', socket_group: www}]\n")
            .listeners()
            .getFirst();
    assertThat(shared.socketAccess()).isEqualTo(new SocketAccess(0660, Optional.of("www")));
    assertThat(PosixFilePermissions.toString(shared.socketAccess().permissions()))
        .isEqualTo("rw-rw----");
    assertThatThrownBy(() -> read("listeners: [unix:a.sock]\n"))
        .hasMessageContaining("wanted host:port");
  }

  @ParameterizedTest
  @CsvSource({
    "tensorflow-serving.yml, 8500 8501",
    "triton.yml, 8000 8001 8002",
    "kserve.yml, 8080 8081",
    "grps.yml, 7080 7081"
  })
  void presetOpensThePortsItsClientsExpect(String preset, String ports) {
    SluiceConfig config =
        new SluiceConfigReader(warnings::add)
            .read(Optional.of(Path.of("conf", preset)), Map.of(), List.of());
    assertThat(config.listeners())
        .extracting(listener -> Integer.toString(listener.port()))
        .containsExactly(ports.split(" "));
  }

  @Test
  void flagsBeatTheEnvironmentWhichBeatsTheFile() {
    String file = "log: { level: error, format: json }\nevent_loops: 1\n";
    var environment = Map.of("SLUICE_LOG_LEVEL", "warn", "SLUICE_EVENT_LOOPS", "2");
    var flag = new SettingOverride("event_loops", "3", "--set event_loops");
    SluiceConfig config = read(file, environment, flag);
    assertThat(config.observability().log())
        .isEqualTo(new LogConfig(LogConfig.Format.JSON, LogConfig.Level.WARN));
    assertThat(config.process().eventLoops()).isEqualTo(3);
  }

  @Test
  void everySettingWithASingleValueHasAnEnvironmentVariable() {
    assertThat(
            read("", Map.of("SLUICE_MODELS_DIRECTORY", "/m")).repository().wanted().directories())
        .containsExactly(Path.of("/m"));
    assertThat(read("", Map.of("SLUICE_LIMITS_MAX_BODY_SIZE", "1KiB")).limits().maxBodySize())
        .isEqualTo(1024);
    assertThat(read("", Map.of("SLUICE_MODELS_DEFAULTS_VERSION_POLICY", "all")).repository())
        .extracting(repository -> repository.defaults().versionPolicy())
        .isEqualTo(new VersionPolicyConfig.All());
    assertThat(read("", Map.of("SLUICE_TENSORFLOW_TAGS", "serve, tpu")).repository())
        .extracting(repository -> repository.defaults().runtimes().tensorflow().tags())
        .isEqualTo(List.of("serve", "tpu"));
    assertThat(
            read("", Map.of("SLUICE_GRPS_DEFAULT_MODEL", "007")).protocols().grps().defaultModel())
        .contains("007");
  }

  @Test
  void listenersOnTheCommandLineReplaceThoseOfTheFile() {
    SluiceConfig config =
        read("listeners: [a:1]", Map.of("SLUICE_LISTEN", "localhost:9000,[::]:9001"));
    assertThat(config.listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("localhost:9000", "[::]:9001");
  }

  @Test
  void overrideReachesIntoTablesThatTheFileLacks() {
    assertThat(
            read(
                    "",
                    Map.of(),
                    SettingOverride.parse("models.defaults.version_policy.latest=2", "--set"))
                .repository()
                .defaults()
                .versionPolicy())
        .isEqualTo(new VersionPolicyConfig.Latest(2));
    assertThat(
            read("", Map.of(), SettingOverride.parse("models.list.digits=/d", "--set"))
                .repository()
                .wanted()
                .listed())
        .isEqualTo(Map.of("digits", ListedModel.in(Path.of("/d"))));
  }

  @Test
  void emptyVariableSetsNothing() {
    assertThat(
            read("log: { level: warn }", Map.of("SLUICE_LOG_LEVEL", ""))
                .observability()
                .log()
                .level())
        .isEqualTo(LogConfig.Level.WARN);
  }

  @Test
  void unknownVariableIsAWarningThatNamesTheNearest() {
    read("", Map.of("SLUICE_LOG_LEVLE", "warn", "SLUICE_BANANA", "1", "OTHER", "1"));
    assertThat(warnings)
        .containsExactly(
            "the environment variable SLUICE_BANANA is no setting of Sluice",
            "the environment variable SLUICE_LOG_LEVLE is no setting of Sluice;"
                + " did you mean SLUICE_LOG_LEVEL?");
  }

  @Test
  void variableThatMayHaveBeenMeantToKeepCallersOutIsRefused() {
    assertThatThrownBy(() -> read("", Map.of("SLUICE_SECURITY_POLICIES", "[]")))
        .hasMessage(
            "SLUICE_SECURITY_POLICIES: security.policies has several values, which no variable can"
                + " hold; wanted in a file");
    assertThatThrownBy(() -> read("", Map.of("SLUICE_SECURITY_JWT_ISSUERS", "me")))
        .hasMessageStartingWith(
            "the environment variable SLUICE_SECURITY_JWT_ISSUERS is no setting of Sluice; did you"
                + " mean SLUICE_SECURITY_JWT_");
    assertThatThrownBy(() -> read("", Map.of("SLUICE_LIMITS", "1")))
        .hasMessageStartingWith("SLUICE_LIMITS: limits has several values");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SLUICE_SECURITY_POLICIES", "SLUICE_SECURITY_JWT_ISSUERS", "SLUICE_X"})
  void emptyVariableIsAsIfItWereAbsent(String name) {
    read("", Map.of(name, ""));
    assertThat(warnings).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SLUICE_CONFIG",
        "SLUICE_JAVA_OPTS",
        "SLUICE_HEALTH_URL",
        "SLUICE_HEALTH_TOKEN",
        "SLUICE_PORT",
        "SLUICE_SERVICE_HOST",
        "SLUICE_PORT_8080_TCP_ADDR",
        "SLUICE_SERVICE_PORT_HTTP",
        "SLUICE_SECURITY_SERVICE_HOST",
        "SLUICE_GRPC_PORT_9000_TCP"
      })
  void variableOfTheLauncherOrOfKubernetesIsNoMistake(String name) {
    read("", Map.of(name, "x"));
    assertThat(warnings).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          limits: {max_body_sise: 1}      | limits.max_body_sise is not a setting; did you mean max_body_size?
          limit: {max_body_size: 1}       | limit is not a setting; did you mean limits?
          log: {colour: red}              | log.colour is not a setting; the settings here are format, level, file, line_start, suppressed
          limits: 5                       | limits is 5; wanted a table of settings
          limits: [1]                     | limits is [1]; wanted a table of settings
          limits: {max_body_size: 64MB}   | limits.max_body_size is "64MB"; wanted a size in bytes such as 1000, 512KiB, 64MiB or 1GiB, from 1 to 2047MiB
          limits: {max_body_size: 0}      | limits.max_body_size is 0; wanted a size in bytes such as 1000, 512KiB, 64MiB or 1GiB, from 1 to 2047MiB
          limits: {max_body_size: 9GiB}   | limits.max_body_size is "9GiB"; wanted a size in bytes such as 1000, 512KiB, 64MiB or 1GiB, from 1 to 2047MiB
          limits: {idle_timeout: 5}       | limits.idle_timeout is 5; wanted a length of time such as 500us, 2ms, 30s, 10m or 1h
          limits: {idle_timeout: -1s}     | limits.idle_timeout is "-1s"; wanted a length of time such as 500us, 2ms, 30s, 10m or 1h
          limits: {idle_timeout: 9999h}   | limits.idle_timeout is "9999h"; wanted a length of time such as 500us, 2ms, 30s, 10m or 1h
          limits: {idle_timeout: {s: 1}}  | limits.idle_timeout is {"s":1}; wanted a length of time such as 500us, 2ms, 30s, 10m or 1h
          onnx: {memory_arena: maybe}     | onnx.memory_arena is "maybe"; wanted true or false
          onnx: {intra_op_threads: -1}    | onnx.intra_op_threads is -1; wanted a whole number from 0 to 1024, or auto
          onnx: {intra_op_threads: 1.5}   | onnx.intra_op_threads is 1.5; wanted a whole number from 0 to 1024, or auto
          event_loops: 99999999999999999999 | event_loops is 99999999999999999999; wanted a whole number from 0 to 1024
          log: {level: loud}              | log.level is "loud"; wanted one of error, warn, info, debug, trace
          tensorflow: {tags: []}          | tensorflow.tags is []; wanted at least one
          tensorflow: {tags: [[a]]}       | tensorflow.tags[0] is ["a"]; wanted a text
          listeners: []                   | listeners is []; wanted at least one
          listeners: [{adress: "a:1"}]    | listeners[0].adress is not a setting; did you mean address?
          security: {policies: [{identites: [anonymous], roles: [metrics]}]} | security.policies[0].identites is not a setting; did you mean identities?
          security: {policies: [{identities: [anonymous], roles: [metrics], listeners: ["b:1"]}]} | security.policies[0].listeners name "b:1"; the listeners are localhost:8080
          listeners: [{v1: both}]         | listeners[0].address is missing; wanted one such as localhost:8080
          listeners: [{address: "a:1", tls: {key: k.pem}}] | listeners[0].tls.certificate is missing; wanted a PEM file
          listeners: [{address: "a:1", tls: {certificate: c, key: k, min_version: 1.1}}] | listeners[0].tls.min_version is 1.1; wanted 1.2 or 1.3
          transport: quic                 | transport is "quic"; wanted one of auto, epoll, io_uring, nio
          listeners: [{address: "a:1", protocols: [grps, brpc], tls: {certificate: c, key: k}}] | listeners[0].protocols name brpc, which cannot be encrypted; wanted no tls, or no brpc
          listeners: [localhost]          | listeners[0].address is "localhost"; wanted host:port, such as localhost:8080, 0.0.0.0:8080, [::]:8080 or unix:/path
          listeners: ["a:70000"]          | listeners[0].address is "a:70000"; wanted host:port, such as localhost:8080, 0.0.0.0:8080, [::]:8080 or unix:/path
          listeners: [{address: "unix:/a", socket_mode: 0660}] | listeners[0].socket_mode is 432; wanted permission bits in octal and in quotes, such as "0660"
          listeners: [{address: "a:1", socket_group: www}] | listeners[0].socket_group is for a Unix domain socket; wanted address: unix:/path
          listeners: [{address: "unix:/a", allowed_hosts: [a]}] | listeners[0].allowed_hosts is for ports: no browser reaches a Unix domain socket; wanted none
          listeners: [{address: "a:1", allowed_hosts: ["a:1"]}] | listeners[0].allowed_hosts[0] is "a:1"; wanted a host name without a port, such as sluice.local, or "*"
          listeners: ["a:1", "a:1"]       | listeners name a:1 twice
          listeners: [{address: "a:1", protocols: [v2]}] | listeners[0].protocols[0] is "v2"; wanted one of tfs, kserve, oip, grps, brpc, openai, metrics
          listeners: [{address: "a:1", metrics_path: metrics}] | listeners[0].metrics_path is "metrics"; wanted a path such as /metrics or /monitoring/prometheus/metrics
          listeners: [{address: "a:1", protocol: tfs}]   | listeners[0].protocol is not a setting; did you mean protocols?
          models: {defaults: {version_policy: newest}}   | models.defaults.version_policy is "newest"; wanted all, latest, {latest: 2} or {specific: [1, 3]}
          models: {defaults: {version_policy: {}}}       | models.defaults.version_policy is {}; wanted all, latest, {latest: 2} or {specific: [1, 3]}
          models: {defaults: {version_policy: {lates: 1}}} | models.defaults.version_policy.lates is not a setting; did you mean latest?
          models: {defaults: {inline_limit: 2ms}}        | models.defaults.inline_limit is longer than 1ms; wanted less, since event loops are held meanwhile
          models: {list: [a]}             | models.list is ["a"]; wanted a table of settings
          models: {directory: ""}         | models.directory is ""; wanted a folder
          models: {directory: "gs://b/m"}   | models.directory is "gs://b/m"; wanted a folder of this machine (storage on other systems is mounted or copied first)
          models: {list: {m: "s3://b/m"}}   | models.list.m is "s3://b/m"; wanted a folder of this machine (storage on other systems is mounted or copied first)
          models: {directory: [a, ""]}    | models.directory[1] is ""; wanted a folder
          security: {policies: [{identities: [ci], roles: [control]}]} | security.policies[0].identities[0] is "ci"; wanted anonymous, authenticated, key:NAME, jwt:SUBJECT, role:NAME, cert:SUBJECT, dns:NAME, uri:NAME, spiffe://ID, uid:NUMBER or gid:NUMBER
          security: {policies: [{identities: [anonymous], roles: [root]}]} | security.policies[0].roles[0] is "root"; wanted one of inference, metadata, metrics, control, admin, shared_memory
          security: {policies: [{identities: [anonymous]}]} | security.policies[0].roles is missing; wanted a list of inference, metadata, metrics, control, admin, shared_memory
          security: {policy: []}          | security.policy is not a setting; the settings here are policies, api_keys, jwt, share
          security: {jwt: {jwks_url: "http://issuer.example/keys"}} | security.jwt.jwks_url is "http://issuer.example/keys"; wanted an https address, or http on localhost
          security: {jwt: {keys: k.pem}}  | security.jwt names keys, but no issuer or no audience; wanted both
          security: {jwt: {keys: k.pem, jwks_url: "https://a/b"}}  | security.jwt has both keys and jwks_url; wanted one of them
          security: {jwt: {algorithms: [none]}} | security.jwt.algorithms[0] is "none"; wanted one of rs256, rs384, rs512, ps256, ps384, ps512, es256, es384, es512
          security: {api_keys: {keys: ["ci: hidden"]}} | security.api_keys.keys hold one of another form; wanted texts, NAME: sha256:HEX with 64 digits, or NAME: KEY with at least 16 visible characters
          security: {api_keys: {keys: [{ci: 0123456789abcdef}]}} | security.api_keys.keys hold one of another form; wanted texts, NAME: sha256:HEX with 64 digits, or NAME: KEY with at least 16 visible characters
          security: {api_keys: {keys: {ci: 0123456789abcdef}}} | security.api_keys.keys hold one of another form; wanted texts, NAME: sha256:HEX with 64 digits, or NAME: KEY with at least 16 visible characters
          listeners: [{address: "a:1", control: [reloads]}] | listeners[0].control is ["reloads"]; wanted true, false, or a list of load, unload, reload, online, offline, logging, tracing, shared_memory
          metrics_export: {endpoint: "collector:4317"} | metrics_export.endpoint is "collector:4317"; wanted an address that begins with http:// or https://
          metrics_export: {interval: 999ms}  | metrics_export.interval is shorter than 1s; wanted more, since each time every series is read
          metrics_export: {headers: [k]}  | metrics_export.headers[0] is "k"; wanted name=value
          models: {control: manual}       | models.control is "manual"; wanted one of none, poll, explicit
          models: {load: [a]}             | models.load names models, which needs models.control: explicit
          """)
  void complaintNamesTheSettingWhatWasGotAndWhatIsWanted(String yaml, String complaint) {
    assertThatThrownBy(() -> read(yaml))
        .isInstanceOf(ConfigException.class)
        .hasMessage(folder.resolve("sluice.yml") + ": " + complaint);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          limits: {a: 1, a: 2}            | line 1: Duplicate field 'a'
          limits: {                       | line 1: while parsing a flow node
          limits:\\n\tmemory: 1GiB          | line 2: a tab where there may be none; indent with spaces
          limits:\\n  a: 1\\n b: 2         | line 3: while parsing a block mapping: expected <block end>
          limits: @x                      | line 1: while scanning for the next token: found character '@'
          a: &x 1\\nb: *x                  | line 2: the alias *x is not followed; write the value out
          a: 1\\n---\\nb: 2                 | holds more than one YAML document; wanted one
          - a\\n- b                       | wanted settings, each as "key: value"
          - a                             | wanted settings, each as "key: value"
          """)
  void fileThatIsNoSettingsIsRefusedWithThePlace(String yaml, String complaint) {
    assertThatThrownBy(() -> read(yaml.replace("\\n", "\n")))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(folder.resolve("sluice.yml") + ": ")
        .hasMessageContaining(complaint);
  }

  @Test
  void hostileFilesAreRefusedBeforeTheyCostAnything() {
    assertThatThrownBy(() -> read("[".repeat(100_000))).isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> read("a: {".repeat(1_000))).isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> read("#".repeat((1 << 20) + 1)))
        .hasMessageEndingWith("has 1048577 bytes; wanted at most 1MiB");
    assertThatThrownBy(() -> read("a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]"))
        .hasMessageContaining("alias");
  }

  @Test
  void complaintNamesTheFlagOrVariableThatSetTheValue() {
    assertThatThrownBy(() -> read("", Map.of("SLUICE_LOG_LEVEL", "loud")))
        .hasMessageStartingWith("SLUICE_LOG_LEVEL: log.level is \"loud\"");
    assertThatThrownBy(() -> read("", Map.of(), SettingOverride.parse("lo.level=x", "--set")))
        .hasMessage("--set lo.level: lo is not a setting; did you mean log?");
    assertThatThrownBy(
            () -> read("", Map.of(), new SettingOverride("listeners", "a:1,b", "--listen")))
        .hasMessageStartingWith("--listen: listeners[1].address is \"b\"; wanted host:port");
    assertThatThrownBy(() ->
            read("limits: 5", Map.of(), SettingOverride.parse("limits.idle_timeout=1s", "--set")))
        .hasMessage("--set limits.idle_timeout: limits is 5, so nothing can be set in it");
    assertThatThrownBy(() -> SettingOverride.parse("log.level", "--set"))
        .hasMessage("--set log.level: wanted key.path=value, such as log.level=debug");
  }

  @Test
  void missingFileIsNamed() {
    Path missing = folder.resolve("nowhere.yml");
    assertThatThrownBy(() ->
            new SluiceConfigReader(warnings::add).read(Optional.of(missing), Map.of(), List.of()))
        .hasMessage(missing + ": no such file");
  }

  private SluiceConfig read(String yaml) {
    return read(yaml, Map.of());
  }

  private SluiceConfig read(
      String yaml, Map<String, String> environment, SettingOverride... overrides) {
    Path file = folder.resolve("sluice.yml");
    try {
      Files.writeString(file, yaml);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return new SluiceConfigReader(warnings::add)
        .read(Optional.of(file), environment, List.of(overrides));
  }
}
