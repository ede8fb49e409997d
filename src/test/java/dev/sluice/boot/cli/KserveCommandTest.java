package dev.sluice.boot.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.server.ControlConfig;
import dev.sluice.config.server.ControlConfig.Mode;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.ListenerConfig.V1Dialect;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the flags of KServe's runtimes mean. */
class KserveCommandTest {
  @TempDir private Path mounted;

  @Test
  void withoutFlagsItIsWhatKserveExpects() {
    SluiceConfig config = read();
    assertThat(config.listeners())
        .extracting(ListenerConfig::address)
        .containsExactly("0.0.0.0:8080", "0.0.0.0:8081");
    assertThat(config.listeners())
        .allMatch(listener -> listener.v1() == V1Dialect.KSERVE)
        .allMatch(listener -> listener.control().equals(ControlAccess.POLICY));
    assertThat(config.repository().wanted()).isEqualTo(only("model", Path.of("/mnt/models")));
  }

  @Test
  void portsAreThoseOfTheFlags() {
    assertThat(addresses("--http_port=9000", "--grpc_port", "9001"))
        .containsExactly("0.0.0.0:9000", "0.0.0.0:9001");
    assertThat(addresses("--enable_grpc=false")).containsExactly("0.0.0.0:8080");
    assertThat(addresses("--enable_grpc")).hasSize(2);
    assertThat(addresses("--grpc_port=8080")).containsExactly("0.0.0.0:8080");
  }

  @Test
  void bothPortsAreBoundToTheAddressThatIsNamed() {
    assertThat(addresses("--host=127.0.0.1")).containsExactly("127.0.0.1:8080", "127.0.0.1:8081");
    assertThat(addresses("--host", "[::]")).containsExactly("[::]:8080", "[::]:8081");
    assertThat(addresses("--host=::1", "--enable_grpc=false")).containsExactly("[::1]:8080");
  }

  @Test
  void aServicesArgumentsWinOverThoseOfItsRuntime() {
    assertThat(addresses("--http_port=8080", "--enable_grpc=false", "--http_port=9000"))
        .containsExactly("0.0.0.0:9000");
  }

  @Test
  void theModelIsWhatLiesInItsFolderUnlessThatHoldsSeveral() {
    assertThat(read("--model_name=digits", "--model_dir=" + mounted).repository().wanted())
        .isEqualTo(only("digits", mounted));
  }

  @Test
  void aRuleThatAllowsControlLetsCallersLoadAndUnloadUnlessSettingsSayWhoDecides()
      throws IOException {
    Path settings = mounted.resolve("sluice.yml");
    Files.writeString(
        settings,
        "security: { policies: [{ identities: [anonymous], roles: [inference, control] }] }");
    var everything = new ControlConfig(Mode.EXPLICIT, Set.of(ControlConfig.ALL), true);
    assertThat(read().repository().control()).isEqualTo(ControlConfig.DEFAULT);
    assertThat(read("--config=" + settings).repository().control()).isEqualTo(everything);
    assertThat(
            read("--config=" + settings, "--set=models.control=poll").repository().control().mode())
        .isEqualTo(Mode.POLL);
    var environment = Map.of("SLUICE_MODELS_CONTROL", "none");
    assertThat(new Run(environment, "--config=" + settings).config.orElseThrow().repository())
        .extracting(repository -> repository.control().mode())
        .isEqualTo(Mode.NONE);
  }

  @Test
  void portsCarryKservesProtocolsUnlessMoreIsAskedFor() {
    assertThat(read().listeners())
        .allMatch(listener ->
            listener.protocols().equals(Set.of(Protocol.KSERVE, Protocol.OIP, Protocol.METRICS)));
    assertThat(read("--protocols=tfs,grps").listeners())
        .allMatch(listener ->
            listener.protocols().containsAll(Set.of(Protocol.TFS, Protocol.GRPS, Protocol.OIP)));
    var wrong = new Run(Map.of(), "--protocols=http");
    assertThat(wrong.code).isEqualTo(2);
    assertThat(wrong.err.toString())
        .contains("--protocols is http; wanted kserve, oip, grps, brpc, openai, metrics or tfs");
  }

  @Test
  void argumentsWithoutAMeaningAreIgnored() {
    assertThat(
            addresses("--workers=2", "--max_threads", "4", "--predictor_host=h", "--http_port=1"))
        .containsExactly("0.0.0.0:1", "0.0.0.0:8081");
  }

  @Test
  void whatEventsSayComesFromTheEnvironmentOfItsRuntimes() {
    var run = new Run(Map.of("CE_TYPE", "a.type", "CE_MERGE", "true"), "--set", "event_loops=3");
    SluiceConfig config = run.config.orElseThrow();
    assertThat(config.protocols().kserve().eventType()).isEqualTo("a.type");
    assertThat(config.protocols().kserve().eventMerge()).isTrue();
    assertThat(config.process().eventLoops()).isEqualTo(3);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --http_port=70000 | sluice: --http_port is 70000; wanted a port from 1 to 65535
          --grpc_port=0     | sluice: --grpc_port is 0; wanted a port from 1 to 65535
          --host=a/b        | sluice: --host is 'a/b'; wanted an address to bind, such as 0.0.0.0, [::] or 127.0.0.1
          --model_name=     | sluice: --model_name is empty; wanted the model's name
          """)
  void anErrorNamesItsFlag(String flag, String text) {
    var run = new Run(Map.of(), flag);
    assertThat(run.code).isEqualTo(2);
    assertThat(run.err.toString().strip()).isEqualTo(text);
  }

  private static DesiredModels only(String name, Path folder) {
    return DesiredModels.only(Map.of(name, ListedModel.mounted(folder)));
  }

  private static List<String> addresses(String... arguments) {
    return read(arguments).listeners().stream().map(ListenerConfig::address).toList();
  }

  private static SluiceConfig read(String... arguments) {
    return new Run(Map.of(), arguments).config.orElseThrow();
  }

  /** The real command line in front of a server that does not start. */
  private static final class Run {
    final StringWriter err = new StringWriter();
    final int code;
    Optional<SluiceConfig> config = Optional.empty();

    Run(Map<String, String> environment, String... arguments) {
      var command =
          SluiceCommand.commandLine(
              settings -> {
                config = Optional.of(settings);
                throw StartFailure.cannotListen("nowhere", new IOException("a test"));
              },
              environment);
      command.setErr(new PrintWriter(err));
      String[] line = new String[arguments.length + 1];
      line[0] = "kserve";
      System.arraycopy(arguments, 0, line, 1, arguments.length);
      code = command.execute(line);
    }
  }
}
