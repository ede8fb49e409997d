package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.ConfigException;
import dev.sluice.config.ControlAccess;
import dev.sluice.config.ControlConfig.Mode;
import dev.sluice.config.ListenerConfig;
import dev.sluice.config.ListenerConfig.Protocol;
import dev.sluice.config.LogConfig;
import dev.sluice.config.RepositoryConfig;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.TraceConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    assertThat(read().listeners().getFirst().protocols())
        .contains(Protocol.OIP)
        .doesNotContain(Protocol.METRICS);
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
    assertThat(read().repository().lookInterval()).isZero();
    RepositoryConfig poll =
        read("--model-control-mode=poll", "--repository-poll-secs=7").repository();
    assertThat(poll.lookInterval()).isEqualTo(Duration.ofSeconds(7));
    assertThat(read("--model-control-mode=poll").repository().lookInterval())
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
    assertThat(read.shutdown().drainTimeout()).isEqualTo(Duration.ofSeconds(9));
    assertThat(read.repository().loading().threads()).isEqualTo(3);
    assertThat(read.repository().loading().retries()).isEqualTo(2);
    assertThat(read.limits().maxBodySize()).isEqualTo(1_000);
    assertThat(read.limits().maxInflatedSize()).isEqualTo(1_000);
    assertThat(read.limits().cacheSize()).isEqualTo(2_000);
    assertThat(read.log().level()).isEqualTo(LogConfig.Level.DEBUG);
    assertThat(read("--log-info=false").log().level()).isEqualTo(LogConfig.Level.WARN);
    assertThat(read("--log-info=0", "--log-warning=0").log().level())
        .isEqualTo(LogConfig.Level.ERROR);
    assertThat(warnings).isEmpty();
  }

  @Test
  void theServerCallsItselfAsTritonDoesUnlessToldOtherwise() {
    assertThat(read().oip().serverName()).isEqualTo("triton");
    assertThat(read("--id=mine").oip().serverName()).isEqualTo("mine");
    assertThat(warnings).isEmpty();
  }

  @Test
  void tracesBeginAsTheFlagsSay() {
    assertThat(
            read("--trace-level", "TIMESTAMPS", "--trace-rate=5", "--trace-count=6").oip().trace())
        .isEqualTo(new TraceConfig(true, 5, 6, 0));
    assertThat(
            read(
                    "--trace-config=mode=triton",
                    "--trace-config",
                    "level=TIMESTAMPS",
                    "--trace-config=rate=7",
                    "--trace-config=count=-1",
                    "--trace-config=triton,log-frequency=8",
                    "--trace-rate=5",
                    "--trace-log-frequency=9")
                .oip()
                .trace())
        .isEqualTo(new TraceConfig(true, 7, -1, 8));
    assertThat(read("--trace-level=TIMESTAMPS", "--trace-level=OFF").oip().trace())
        .isEqualTo(TraceConfig.DEFAULT);
    assertThat(warnings).isEmpty();
  }

  @Test
  void tracesGoToTheLogWhateverTheFlagsSay() {
    read("--trace-file=/tmp/trace.json", "--trace-config=mode=opentelemetry");
    assertThat(warnings)
        .containsExactly(
            "these flags have no meaning here: --trace-file",
            "--trace-config mode=opentelemetry has no meaning here: traces go to the log");
  }

  @Test
  void whatHasNoMeaningIsNamedInOneWarning() {
    read(
        "--backend-config=onnxruntime,threads=2",
        "--disable-auto-complete-config",
        "--rate-limit",
        "off");
    assertThat(warnings)
        .containsExactly(
            "these flags have no meaning here: --disable-auto-complete-config, --backend-config,"
                + " --rate-limit");
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
          --trace-level=TENSORS | --trace-level is TENSORS; wanted OFF or TIMESTAMPS
          --trace-config=level=MAX | --trace-config is MAX; wanted OFF or TIMESTAMPS
          --trace-config=rate | --trace-config is rate; wanted [MODE,]NAME=VALUE
          --grpc-use-ssl=true | --grpc-use-ssl is not served here: use listeners[].tls of sluice serve
          --http-restricted-api=a:b=c | --http-restricted-api is for 'a'; wanted health, metadata, inference, shared-memory, model-config, model-repository, statistics, trace, logging
          --http-restricted-api=health | --http-restricted-api is of another form; wanted APIS:KEY=VALUE
          --http-restricted-api=health:k= | --http-restricted-api is of another form; wanted APIS:KEY=VALUE
          --grpc-restricted-protocol=health,trace:k=v --grpc-restricted-protocol=trace:l=w | --grpc-restricted-protocol: 'trace' can not be specified in multiple config groups
          """)
  void whatIsWrongIsToldByItsFlag(String arguments, String text) {
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
            ForeignFlags.parse(TritonFlag.class, arguments), Map.of(), warnings::add)
        .read();
  }
}
