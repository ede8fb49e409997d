package dev.sluice.boot;

import static java.lang.ProcessBuilder.Redirect.DISCARD;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.boot.cli.ModelLine;
import dev.sluice.boot.cli.ServeCommand;
import dev.sluice.boot.cli.Server;
import dev.sluice.boot.cli.SluiceCommand;
import dev.sluice.boot.cli.StartFailure;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineTest {
  private static final ModelLine GOOD =
      new ModelLine(
          "half_plus_two",
          Optional.of(VersionStatus.of(2, VersionState.AVAILABLE)),
          Optional.of(
              new ModelMetadata(
                  "tensorflow_savedmodel",
                  Map.of(
                      Signature.DEFAULT,
                      new Signature(
                          Signature.DEFAULT,
                          "",
                          List.of(new TensorSpec("x", DataType.FP32, Shape.of(-1, 1))),
                          List.of(new TensorSpec("y", DataType.FP32, Shape.of(-1, 1))))),
                  false,
                  0)));
  private static final ModelLine BROKEN =
      new ModelLine(
          "broken",
          Optional.of(
              new VersionStatus(
                  1,
                  VersionState.END,
                  Optional.of(
                      new VersionStatus.Failure(ErrorCode.INTERNAL, "model.onnx is no model")))),
          Optional.empty());

  @TempDir private Path models;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<SluiceConfig> started = new ArrayList<>();
  private List<ModelLine> served = List.of(GOOD);
  private List<String> advice = List.of();
  private int closed;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "serve --help",
        "check --help",
        "infer --help",
        "replay --help",
        "--version",
        "check --version"
      })
  void helpAndVersionAreEverywhere(String arguments) {
    assertThat(run(arguments.split(" ", -1))).isZero();
    assertThat(out.toString()).contains("sluice");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void missingCommandIsAUsageError() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString())
        .isEqualTo(
            """
            sluice: A command is missing: serve, check, infer, replay, health, aot-cache, tensorflow_model_server,\
             tritonserver, kserve, generate-completion.
            Try: sluice --help
            """);
  }

  @ParameterizedTest
  @ValueSource(strings = {"extra", "--foo"})
  void scriptForBashTakesNoArguments(String argument) {
    assertThat(run("generate-completion", argument)).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains(argument);
  }

  @ParameterizedTest
  @CsvSource({"'sluice ser', serve", "'sluice serve --mod', --models"})
  void bashCompletesCommandsAndFlagsByTheScript(String typed, String completed) throws Exception {
    assertThat(run("generate-completion")).isZero();
    String[] words = typed.split(" ", -1);
    String line =
        "%s%nCOMP_WORDS=(%s); COMP_CWORD=%d; _complete_sluice; echo \"${COMPREPLY[@]}\""
            .formatted(out, typed, words.length - 1);
    Process bash = new ProcessBuilder("bash", "-c", line).redirectError(DISCARD).start();
    bash.getOutputStream().close();
    String printed = new String(bash.getInputStream().readAllBytes(), UTF_8);
    assertThat(printed.strip().split(" ", -1)).contains(completed);
  }

  @Test
  void unknownFlagIsAUsageErrorThatNamesTheNearest() {
    assertThat(run("serve", "--model", "x")).isEqualTo(2);
    assertThat(err.toString()).contains("--model").contains("--models").doesNotContain("\tat ");
  }

  @Test
  void wrongSettingIsAUsageErrorWithoutAStackTrace() {
    assertThat(run("serve", "--log-level", "loud")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualTo(
            "sluice: --log-level: log.level is \"loud\"; wanted one of error, warn, info, debug,"
                + " trace\n");
    assertThat(started).isEmpty();
  }

  @Test
  void missingModelFolderIsAUsageError() {
    assertThat(run("check", "--models", "/nowhere")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualTo(
            "sluice: models.directory is /nowhere, which is no folder; --models DIR says where the"
                + " models are\n");
  }

  @Test
  void portInUseIsAFailedStart() {
    CommandLine command =
        SluiceCommand.commandLine(
            _ -> {
              throw StartFailure.cannotListen(
                  "localhost:8080", new BindException("Address already in use"));
            },
            Map.of());
    command.setErr(new PrintWriter(err));
    assertThat(command.execute("serve", "--models", models.toString())).isEqualTo(1);
    assertThat(err.toString()).isEqualTo("sluice: localhost:8080 is in use\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          bind(..) failed with error(-98): Address already in use | a:1 is in use
          bind(..) failed: Cannot assign requested address        | a:1 is no address of this machine
          Permission denied | a:1 needs the permission to listen on a port below 1024
          something else    | a:1 cannot be listened on: something else
          """)
  void failedStartSaysWhy(String cause, String text) {
    assertThat(StartFailure.cannotListen("a:1", new IOException(cause))).hasMessage(text);
    assertThat(StartFailure.cannotListen("a:1", new UnknownHostException("a")))
        .hasMessage("a:1 is no host that can be found");
  }

  @Test
  void flagsAndEnvironmentReachTheSettings() {
    String folder = models.toString();
    run("check", "--models", folder, "--set", "log.level=debug", "--set", "event_loops=3");
    SluiceConfig config = started.getFirst();
    assertThat(config.repository().wanted().directories()).containsExactly(models);
    assertThat(config.process().eventLoops()).isEqualTo(3);
  }

  @Test
  void checkPrintsTensorsAndOpensNoPort() {
    assertThat(run("check", "--models", models.toString())).isZero();
    assertThat(started.getFirst().listeners()).isEmpty();
    assertThat(closed).isEqualTo(1);
    assertThat(out.toString())
        .isEqualTo(
            """
            MODEL          VERSION  STATE      SIGNATURE        TENSOR  NAME  TYPE  SHAPE
            half_plus_two  2        available  serving_default  input   x     FP32  [-1,1]
                                                                output  y     FP32  [-1,1]
            """);
  }

  @Test
  void checkSaysWhatCouldBeBetter() {
    advice = List.of("m/1: rows are independent");
    assertThat(run("check", "--models", models.toString())).isZero();
    assertThat(out.toString()).endsWith("\n\nm/1: rows are independent\n");
  }

  @Test
  void checkSaysWhatFailedAndWhy() {
    served = List.of(BROKEN, new ModelLine("empty", Optional.empty(), Optional.empty()));
    assertThat(run("check", "--models", models.toString())).isEqualTo(1);
    assertThat(out.toString())
        .isEqualTo(
            """
            MODEL   VERSION  STATE       SIGNATURE  TENSOR  NAME  TYPE  SHAPE
            broken  1        failed
            empty   -        no version

            broken/1 is not served: model.onnx is no model
            empty/- is not served: no version
            """);
  }

  @Test
  void checkOfAnEmptyFolderIsNoFailure() {
    served = List.of();
    assertThat(run("check", "--models", models.toString())).isZero();
    assertThat(out.toString()).isEqualTo("No models in " + models + ".\n");
  }

  @Test
  void serveSaysWhereItListensWhatItServesAndWhatToTry() {
    served = List.of(BROKEN, GOOD);
    assertThat(ServeCommand.welcome(SluiceConfig.DEFAULT, server(SluiceConfig.DEFAULT)))
        .containsExactly(
            "Sluice unpackaged listens on",
            "  http://localhost:8080  tfs, kserve, oip, grps, brpc, openai, metrics",
            "",
            "MODEL          VERSION  STATE",
            "broken         1        failed     model.onnx is no model",
            "half_plus_two  2        available",
            "",
            "Try:",
            "  curl -d '{\"instances\":[[1.0]]}'"
                + " http://localhost:8080/v1/models/half_plus_two:predict");
  }

  @Test
  void onlyTheCommandThatIsCalledIsThere() {
    assertThat(commandLine("serve", "--models", "m").getSubcommands()).containsOnlyKeys("serve");
  }

  @Test
  void everyCommandIsThereUnlessOneIsCalledFirst() {
    var all = SluiceCommand.commandLine(this::start, Map.of()).getSubcommands().keySet();
    assertThat(all).contains("serve", "check", "generate-completion");
    assertThat(commandLine("--help").getSubcommands().keySet()).isEqualTo(all);
    assertThat(commandLine("sreve").getSubcommands().keySet()).isEqualTo(all);
    assertThat(commandLine().getSubcommands().keySet()).isEqualTo(all);
  }

  private CommandLine commandLine(String... arguments) {
    return SluiceCommand.commandLine(arguments, this::start, this::start, Map.of());
  }

  private Server start(SluiceConfig config) {
    started.add(config);
    return server(config);
  }

  private int run(String... arguments) {
    CommandLine command = commandLine(arguments);
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    return command.execute(arguments);
  }

  private Server server(SluiceConfig config) {
    return new Server() {
      @Override
      public List<String> addresses() {
        return config.listeners().stream().map(ListenerConfig::address).toList();
      }

      @Override
      public List<String> advice() {
        return advice;
      }

      @Override
      public void awaitModels() {}

      @Override
      public List<ModelLine> models() {
        return served;
      }

      @Override
      public Duration closingTime() {
        return Duration.ofMinutes(1);
      }

      @Override
      public Future<List<String>> reload() {
        return Future.succeededFuture(List.of());
      }

      @Override
      public void stopNow() {}

      @Override
      public void close() {
        closed++;
      }
    };
  }
}
