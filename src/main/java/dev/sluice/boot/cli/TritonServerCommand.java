package dev.sluice.boot.cli;

import dev.sluice.boot.compat.CompatFlag;
import dev.sluice.boot.compat.CompatFlags;
import dev.sluice.boot.compat.TritonFlag;
import dev.sluice.boot.compat.TritonSettings;
import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfig;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * {@code sluice tritonserver}: serves as Triton's command does, by its flags.
 *
 * <p>Everything after parsing is that of {@link ServeCommand}: settings, warnings, listeners,
 * shutdown.
 */
@Command(name = "tritonserver", description = "Serves models by the flags of Triton's command.")
final class TritonServerCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(TritonServerCommand.class);

  private static final String REFUSED =
      "loading and unloading, and log and trace settings, are refused; --enable-control=load,unload"
          + " (or load,unload,logging,tracing) allows just those, to everybody who reaches these"
          + " ports";

  private final ServerStarter starter;
  private final Map<String, String> environment;

  @Unmatched private List<String> arguments = new ArrayList<>();
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  TritonServerCommand(ServerStarter starter, Map<String, String> environment) {
    this.starter = starter;
    this.environment = environment;
  }

  @Override
  public Integer call() throws InterruptedException {
    var flags = CompatFlags.parse(TritonFlag.class, arguments);
    if (flags.on(TritonFlag.HELP, false)) {
      print(CompatFlag.usage("tritonserver", TritonFlag.values()));
    } else if (flags.on(TritonFlag.VERSION, false)) {
      print(List.of("sluice " + VersionText.number()));
    } else {
      serve(flags);
    }
    return ExitCode.OK;
  }

  private void serve(CompatFlags<TritonFlag> flags) throws InterruptedException {
    SluiceConfig config =
        LogSetup.whileReadingSettings(warn -> new TritonSettings(flags, environment, warn).read());
    if (flags.text(TritonFlag.ENABLE_CONTROL).isEmpty()) {
      LOG.info(REFUSED);
    }
    ServeCommand.serve(
        config,
        starter,
        server -> {
          server.awaitModels();
          if (flags.on(TritonFlag.EXIT_ON_ERROR, true)) {
            closeIfFailed(server, config.repository().control().load());
          }
        },
        server -> ServeCommand.welcome(config, server),
        spec.commandLine().getOut());
  }

  /** A folder without versions is no failure, unless it was asked for. */
  private static void closeIfFailed(Server server, Set<String> asked) {
    List<ModelLine> models =
        server.models().stream()
            .filter(line -> line.version().isPresent() || asked.contains(line.model()))
            .toList();
    List<String> failures = ModelReports.failures(models);
    if (!failures.isEmpty()) {
      server.close();
      throw new StartFailure(
          "failed to load all models (--exit-on-error=false serves the others): "
              + String.join("; ", failures));
    }
  }

  private void print(List<String> lines) {
    PrintWriter out = spec.commandLine().getOut();
    lines.forEach(out::println);
    out.flush();
  }
}
