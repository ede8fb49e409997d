package dev.sluice.boot.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.boot.SluiceServer;
import dev.sluice.boot.compat.CompatFlags;
import dev.sluice.boot.compat.TritonFlag;
import dev.sluice.boot.compat.TritonSettings;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.RestrictedApi;
import dev.sluice.config.security.RestrictedApi.Group;
import dev.sluice.config.security.RestrictedApi.Wire;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.ControlConfig.Mode;
import dev.sluice.config.server.LatencyMetricsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.LogConfig;
import dev.sluice.config.server.RateLimitConfig;
import dev.sluice.config.server.RateLimitConfig.Available;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.config.server.TraceConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the flags of Triton's command mean. */
class TritonServerCommandTest {
  private final List<String> warnings = new ArrayList<>();
  @TempDir private Path models;

  @Test
  void portsAreThoseOfTheCommandOnAllInterfaces() {
    assertThat(read().listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("0.0.0.0:8000", "0.0.0.0:8001", "0.0.0.0:8002");
    assertThat(read().listeners())
        .allMatch(listener -> listener.control().equals(ControlAccess.POLICY));
    assertThat(read().listeners().get(2).protocols()).containsExactly(Protocol.METRICS);
    assertThat(read().listeners().subList(0, 2))
        .allMatch(listener -> listener.protocols().equals(Set.of(Protocol.OIP)));
    assertThat(read("--protocols=kserve,tfs").listeners().subList(0, 2))
        .allMatch(listener ->
            listener.protocols().equals(Set.of(Protocol.OIP, Protocol.KSERVE, Protocol.TFS)));
    assertThat(read("--enable-control").listeners())
        .allMatch(listener -> listener.control().equals(ControlAccess.OPEN));
  }

  @Test
  void portsMayBeOthersOrNone() {
    assertThat(
            read(
                    "--http-port=1",
                    "--grpc-port",
                    "2",
                    "--grpc-address=127.0.0.1",
                    "--metrics-port=3")
                .listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("0.0.0.0:1", "127.0.0.1:2", "0.0.0.0:3");
    assertThat(read("--http-address=::1", "--allow-grpc", "false", "--allow-metrics=0").listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("[::1]:8000");
  }

  @Test
  void whatSharesAPortIsOneListener() {
    List<ListenerConfig> listeners =
        read("--http-port=1", "--grpc-port=1", "--metrics-port=1").listeners();
    assertThat(listeners).hasSize(1);
    assertThat(listeners.getFirst().protocols()).contains(Protocol.OIP, Protocol.METRICS);
  }

  @Test
  void repositoriesMayBeSeveral(@TempDir Path other) {
    assertThat(read("--model-store", other.toString()).repository().wanted().directories())
        .containsExactly(models, other);
  }

  @Test
  void modelsAreLookedAtOnceUnlessAskedForOtherwise() {
    assertThat(read().repository().control().mode()).isEqualTo(Mode.NONE);
    assertThat(read().repository().effectivePollInterval()).isZero();
    RepositoryConfig poll =
        read("--model-control-mode=poll", "--repository-poll-secs=7").repository();
    assertThat(poll.effectivePollInterval()).isEqualTo(Duration.ofSeconds(7));
    assertThat(read("--model-control-mode=poll").repository().effectivePollInterval())
        .isEqualTo(Duration.ofSeconds(15));
    RepositoryConfig explicit =
        read("--model-control-mode", "explicit", "--load-model=a", "--load-model", "b,c")
            .repository();
    assertThat(explicit.control().mode()).isEqualTo(Mode.EXPLICIT);
    assertThat(explicit.control().load()).containsExactlyInAnyOrder("a", "b,c");
  }

  @Test
  void otherFlagsAreSettings() {
    SluiceConfig read =
        read(
            "--strict-readiness=false",
            "--exit-timeout-secs=9",
            "--model-load-thread-count=3",
            "--model-load-retry-count=2",
            "--http-max-input-size=1000",
            "--cache-config=local,size=2000",
            "--log-verbose=1");
    assertThat(read.repository().control().strictReadiness()).isFalse();
    assertThat(read.process().shutdown().drainTimeout()).isEqualTo(Duration.ofSeconds(9));
    assertThat(read.repository().loading().threads()).isEqualTo(3);
    assertThat(read.repository().loading().retries()).isEqualTo(2);
    assertThat(read.limits().maxBodySize()).isEqualTo(1_000);
    assertThat(read.limits().maxInflatedSize()).isEqualTo(1_000);
    assertThat(read.limits().cacheSize()).isEqualTo(2_000);
    assertThat(read.observability().log().level()).isEqualTo(LogConfig.Level.DEBUG);
    assertThat(read("--log-info=false").observability().log().level())
        .isEqualTo(LogConfig.Level.WARN);
    assertThat(read("--log-info=0", "--log-warning=0").observability().log().level())
        .isEqualTo(LogConfig.Level.ERROR);
    assertThat(warnings).isEmpty();
  }

  @Test
  void theServersNameIsTritonsUnlessConfigured() {
    assertThat(read().protocols().oip().serverName()).isEqualTo("triton");
    assertThat(read("--id=mine").protocols().oip().serverName()).isEqualTo("mine");
    assertThat(warnings).isEmpty();
  }

  @Test
  void tracesBeginAsTheFlagsSay() {
    assertThat(
            read("--trace-level", "TIMESTAMPS", "--trace-rate=5", "--trace-count=6")
                .protocols()
                .oip()
                .trace())
        .isEqualTo(new TraceConfig(true, 5, 6, 0, false, Optional.empty(), 1 << 20));
    assertThat(
            read(
                    "--trace-config=mode=triton",
                    "--trace-config",
                    "level=TIMESTAMPS",
                    "--trace-config=level=tensors",
                    "--trace-config=triton,file=" + models.resolve("t.json"),
                    "--trace-config=rate=7",
                    "--trace-config=count=-1",
                    "--trace-config=triton,log-frequency=8",
                    "--trace-rate=5",
                    "--trace-log-frequency=9")
                .protocols()
                .oip()
                .trace())
        .isEqualTo(
            new TraceConfig(true, 7, -1, 8, true, Optional.of(models.resolve("t.json")), 1 << 20));
    assertThat(read("--trace-level=TIMESTAMPS", "--trace-level=OFF").protocols().oip().trace())
        .isEqualTo(TraceConfig.DEFAULT);
    assertThat(warnings).isEmpty();
  }

  @Test
  void thereIsOneModeOfTraces() {
    read("--trace-file=" + models.resolve("t.json"), "--trace-config=mode=opentelemetry");
    assertThat(warnings)
        .containsExactly(
            "--trace-config mode=opentelemetry has no effect: traces go to a file or the log, and"
                + " mode=triton is the only one");
  }

  @Test
  void latenciesAreShownInTheFormsOfMetricsConfig() {
    assertThat(read("--metrics-config=summary_latencies=true").protocols().oip().latencies())
        .isEqualTo(
            new LatencyMetricsConfig(
                true, false, true, LatencyMetricsConfig.DEFAULT.summaryQuantiles()));
    assertThat(
            read(
                    "--metrics-config",
                    "counter_latencies=false",
                    "--metrics-config=histogram_latencies=true",
                    "--metrics-config=summary_quantiles=0.5:0.05,0.75:0.01")
                .protocols()
                .oip()
                .latencies())
        .isEqualTo(new LatencyMetricsConfig(false, true, false, List.of(0.5, 0.75)));
    assertThat(warnings).isEmpty();
    read("--metrics-config=colour=red");
    assertThat(warnings)
        .singleElement()
        .asString()
        .startsWith("--metrics-config colour=red has no effect");
    assertThatThrownBy(() -> read("--metrics-config=summary_latencies"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("NAME=VALUE");
    assertThatThrownBy(() -> read("--metrics-config=summary_quantiles=0.5"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("QUANTILE:ERROR");
    assertThatThrownBy(() -> read("--metrics-config=summary_quantiles=2:0.1"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("a number from 0 to 1");
  }

  @Test
  void flagsWithoutAnEffectSayWhy() {
    read(
        "--backend-config=onnxruntime,colour=red",
        "--cuda-memory-pool-byte-size=0:1000",
        "--reuse-http-port");
    assertThat(warnings)
        .containsExactly(
            "--cuda-memory-pool-byte-size has no effect: models run on CPUs",
            "--reuse-http-port has no effect: a port belongs to one server",
            "--backend-config=onnxruntime,colour=red has no effect: no backend here has such a"
                + " setting");
  }

  @Test
  void instancesWaitForResourcesIfTheFlagsSaySo() {
    assertThat(
            read(
                    "--rate-limit=EXECUTION_COUNT",
                    "--rate-limit-resource=R1:10",
                    "--rate-limit-resource=R2:5:0")
                .repository()
                .rateLimit())
        .isEqualTo(
            new RateLimitConfig(
                RateLimitConfig.Mode.EXECUTION_COUNT,
                List.of(
                    new Available("R1", 10, Optional.empty()),
                    new Available("R2", 5, Optional.of(0)))));
    assertThat(read("--rate-limit=off").repository().rateLimit())
        .isEqualTo(RateLimitConfig.DEFAULT);
    assertThat(warnings).isEmpty();
  }

  @Test
  void everyFlagOfTheCommandIsKnownByItsFate() throws IOException {
    List<String> listed =
        Files.readAllLines(Path.of("src/test/resources/triton/flags.txt")).stream()
            .filter(line -> !line.startsWith("#"))
            .toList();
    Set<TritonFlag> own =
        EnumSet.of(TritonFlag.ENABLE_CONTROL, TritonFlag.PROTOCOLS, TritonFlag.VERSION);
    List<String> known =
        Arrays.stream(TritonFlag.values())
            .filter(flag -> !own.contains(flag))
            .map(flag -> flag.flag().substring(2) + " " + fate(flag))
            .toList();
    assertThat(known).containsExactlyInAnyOrderElementsOf(listed);
    assertThat(TritonFlag.values()).allMatch(flag -> !flag.text().isEmpty());
  }

  private static String fate(TritonFlag flag) {
    return switch (flag.kind()) {
      case VALUE, SWITCH -> "effect";
      case REFUSED -> "refused";
      case NO_EFFECT -> "none";
    };
  }

  @Test
  void settingsOfBackendsAreSettings() {
    SluiceConfig read =
        read(
            "--backend-config=default-max-batch-size=5",
            "--backend-config=onnxruntime,intra_op_thread_count=3");
    assertThat(read.repository().defaults().batching().defaultMaxBatchSize()).isEqualTo(5);
    for (String asWritten : List.of("--disable-auto-complete-config", "--strict-model-config=1")) {
      assertThat(
              read(asWritten, "--backend-config=tensorflow,default-max-batch-size=5")
                  .repository()
                  .defaults()
                  .batching()
                  .defaultMaxBatchSize())
          .isZero();
    }
    assertThat(warnings).isEmpty();
  }

  @Test
  void thePortForGrpcMayBeEncrypted() {
    List<ListenerConfig> listeners =
        read("--grpc-use-ssl", "--grpc-server-cert=c", "--grpc-server-key=k", "--grpc-root-cert=r")
            .listeners();
    assertThat(listeners.getFirst().tls()).isEmpty();
    assertThat(listeners.get(1).tls())
        .contains(new TlsConfig(Path.of("c"), Path.of("k"), Optional.empty()));
    assertThat(
            read(
                    "--grpc-use-ssl-mutual=true",
                    "--grpc-server-cert=c",
                    "--grpc-server-key=k",
                    "--grpc-root-cert=r")
                .listeners()
                .get(1)
                .tls())
        .contains(new TlsConfig(Path.of("c"), Path.of("k"), Optional.of(Path.of("r"))));
  }

  @Test
  void memoryIsSharedIfAFlagSaysSo() {
    SluiceConfig read = read("--allow-client-shm=true", "--enable-control=load");
    assertThat(read.protocols().oip().sharedMemory().enabled()).isTrue();
    assertThat(read.listeners().getFirst().control())
        .isEqualTo(
            ControlAccess.open(
                ControlAccess.Operation.LOAD, ControlAccess.Operation.SHARED_MEMORY));
    assertThat(read().protocols().oip().sharedMemory().enabled()).isFalse();
    assertThat(read("--allow-client-shm", "--enable-control=false").listeners().getFirst())
        .returns(ControlAccess.NEVER, ListenerConfig::control);
  }

  @Test
  void callsThatNeedAHeaderAreThoseOfTheFlags() {
    assertThat(
            read(
                    "--http-restricted-api=health,trace:Key=a=b",
                    "--grpc-restricted-protocol=model-repository:admin=x")
                .security()
                .restricted())
        .containsExactly(
            new RestrictedApi(Wire.HTTP, EnumSet.of(Group.HEALTH, Group.TRACE), "key", "a=b"),
            new RestrictedApi(
                Wire.GRPC, EnumSet.of(Group.MODEL_REPOSITORY), "triton-grpc-protocol-admin", "x"));
  }

  @Test
  void theLogGoesToTheFileOfTheFlag() {
    assertThat(read("--log-file=/tmp/x.log").observability().log().file())
        .contains(Path.of("/tmp/x.log"));
  }

  @Test
  void eachLevelOfTheLogIsOnOrOffByItself() {
    assertThat(read("--log-warning=false", "--log-error=0").observability().log())
        .returns(LogConfig.Level.INFO, LogConfig::level)
        .returns(
            Set.of(LogConfig.Suppressible.WARN, LogConfig.Suppressible.ERROR),
            LogConfig::suppressed);
    assertThat(read("--log-verbose=3", "--log-info=false").observability().log())
        .returns(LogConfig.Level.TRACE, LogConfig::level)
        .returns(Set.of(LogConfig.Suppressible.INFO), LogConfig::suppressed);
    assertThat(read("--log-info=0", "--log-warning=0", "--log-error=0").observability().log())
        .returns(LogConfig.Level.ERROR, LogConfig::level)
        .returns(EnumSet.allOf(LogConfig.Suppressible.class), LogConfig::suppressed);
  }

  @Test
  void linesOfTheLogBeginAsTheFlagSays() {
    assertThat(read("--log-format=default").observability().log().lineStart())
        .isEqualTo(LogConfig.LineStart.GLOG);
    assertThat(read("--log-format", "ISO8601").observability().log().lineStart())
        .isEqualTo(LogConfig.LineStart.ISO8601);
    assertThat(read().observability().log().lineStart()).isEqualTo(LogConfig.LineStart.ISO8601);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --colour=red | unrecognized option '--colour'; sluice tritonserver --help lists them
          word | unrecognized option 'word'; sluice tritonserver --help lists them
          --http-port=x | --http-port is x; wanted a whole number from 0 to 65535
          --grpc-port=70000 | --grpc-port is 70000; wanted a whole number from 0 to 65535
          --http-port | --http-port: has no value
          --allow-http=maybe | --allow-http is maybe; wanted true or false
          --allow-http=0 --allow-grpc=0 | --allow-http is false and so is --allow-grpc; wanted one
          --load-model=a | --load-model needs --model-control-mode=explicit
          --model-control-mode=manual | --model-control-mode is manual; wanted none, poll or explicit
          --model-repository=s3://bucket | --model-repository is 's3://bucket'; wanted a folder of this machine (storage on other systems is mounted or copied first)
          --cache-config=redis,host=x | --cache-config is redis,host=x; wanted local,size=BYTES
          --trace-rate=-1 | --trace-rate: oip.trace.rate is "-1"; wanted a whole number from 0 to 2147483647
          --trace-level=TENSORS | --trace-level: oip.trace.tensors is true; wanted a trace.file too, which tensors are written to
          --trace-config=level=ALL | --trace-config is ALL; wanted OFF, TIMESTAMPS or TENSORS
          --trace-file=/nowhere/t.json | --trace-file: oip.trace.file is /nowhere/t.json; wanted a file in a folder that there is
          --trace-config=rate | --trace-config is rate; wanted [MODE,]NAME=VALUE
          --log-format=json | --log-format is json; wanted default or ISO8601
          --rate-limit=often | --rate-limit is often; wanted execution_count or off
          --rate-limit-resource=R1 | --rate-limit-resource: models.rate_limit.resources[0] is "R1"; wanted a resource as NAME:COUNT or NAME:COUNT:DEVICE
          --grpc-use-ssl=true | --grpc-server-cert is missing; wanted a PEM file
          --model-namespacing=true | --model-namespacing is not served here: of two models with one name the first is served
          --backend-config=x | --backend-config is x; wanted [BACKEND,]NAME=VALUE
          --http-restricted-api=a:b=c | --http-restricted-api is for 'a'; wanted health, metadata, inference, shared-memory, model-config, model-repository, statistics, trace, logging
          --http-restricted-api=health | --http-restricted-api is of another form; wanted APIS:KEY=VALUE
          --http-restricted-api=health:k= | --http-restricted-api is of another form; wanted APIS:KEY=VALUE
          --grpc-restricted-protocol=health,trace:k=v --grpc-restricted-protocol=trace:l=w | --grpc-restricted-protocol: 'trace' can not be specified in multiple config groups
          """)
  void anErrorNamesItsFlag(String arguments, String text) {
    assertThatThrownBy(() -> read(arguments.split(" ")))
        .isInstanceOf(ConfigException.class)
        .hasMessage(text);
  }

  @Test
  void aRepositoryMustBeNamed() {
    assertThatThrownBy(() -> settings(List.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessage("--model-repository is missing; wanted a folder of models");
  }

  @Test
  void aModelThatDoesNotLoadEndsTheStart() throws Exception {
    Files.createDirectories(models.resolve("m/1"));
    Files.writeString(models.resolve("m/1/model.onnx"), "broken");
    assertThat(run("--http-port=0", "--allow-grpc=false", "--allow-metrics=false"))
        .startsWith("1 sluice: failed to load all models")
        .contains("m/1 is not served: ");
    assertThat(
            run(
                "--http-port=0",
                "--allow-grpc=false",
                "--allow-metrics=false",
                "--model-control-mode=explicit",
                "--load-model=nope"))
        .startsWith("1 sluice: failed to load all models")
        .contains("nope/- is not served: no version");
  }

  @Test
  void helpListsTheFlags() {
    assertThat(run("--help")).startsWith("0 ").contains("--model-repository  ");
  }

  private String run(String... arguments) {
    var text = new StringWriter();
    var command =
        SluiceCommand.commandLine(SluiceServer::startSettled, Map.of())
            .setOut(new PrintWriter(text))
            .setErr(new PrintWriter(text));
    List<String> all = new ArrayList<>(List.of("tritonserver", "--model-repository=" + models));
    all.addAll(List.of(arguments));
    int code = command.execute(all.toArray(String[]::new));
    return code + " " + text;
  }

  private SluiceConfig read(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--model-repository=" + models));
    all.addAll(List.of(arguments));
    return settings(all);
  }

  private SluiceConfig settings(List<String> arguments) {
    return new TritonSettings(
            CompatFlags.parse(TritonFlag.class, arguments), Map.of(), warnings::add)
        .read();
  }
}
