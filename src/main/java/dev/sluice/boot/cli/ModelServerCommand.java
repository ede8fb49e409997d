package dev.sluice.boot.cli;

import dev.sluice.boot.compat.CompatFlag;
import dev.sluice.boot.compat.CompatFlags;
import dev.sluice.boot.compat.ServingFlag;
import dev.sluice.boot.compat.ServingSettings;
import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfig;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * {@code sluice tensorflow_model_server}: serves as TensorFlow Serving's command does, by its
 * flags. Its ports answer while models load.
 */
@Command(
    name = "tensorflow_model_server",
    description = "Serves models by the flags of TensorFlow Serving's command.")
final class ModelServerCommand implements Callable<Integer> {
  /** The version of TensorFlow that TensorFlow Java 1.1 bundles. */
  private static final String TENSORFLOW = "2.18.0";

  private static final Logger LOG = LoggerFactory.getLogger(ModelServerCommand.class);

  private static final String REFUSED =
      "HandleReloadConfigRequest is refused; --enable_control=reload allows just that, to everybody"
          + " who reaches these ports";

  private final ServerStarter starter;
  private final Map<String, String> environment;

  @Unmatched private List<String> arguments = new ArrayList<>();
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  ModelServerCommand(ServerStarter starter, Map<String, String> environment) {
    this.starter = starter;
    this.environment = environment;
  }

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (arguments.contains("--help")) {
      CompatFlag.usage("tensorflow_model_server", ServingFlag.values()).forEach(out::println);
      out.flush();
      return ExitCode.OK;
    }
    var flags = CompatFlags.parse(ServingFlag.class, arguments);
    if (flags.on(ServingFlag.VERSION, false)) {
      out.println("TensorFlow ModelServer: sluice " + VersionText.number());
      out.println("TensorFlow Library: " + TENSORFLOW);
      out.flush();
      return ExitCode.OK;
    }
    serve(flags, out);
    return ExitCode.OK;
  }

  private void serve(CompatFlags<ServingFlag> flags, PrintWriter out) throws InterruptedException {
    List<String> unknown = ServingSettings.unknown(flags);
    if (!unknown.isEmpty()) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("unknown: " + String.join(" ", unknown));
      err.println("usage: tensorflow_model_server [flags]; --help lists them");
      err.flush();
    }
    SluiceConfig config =
        LogSetup.whileReadingSettings(warn -> new ServingSettings(flags, environment, warn).read());
    if (flags.text(ServingFlag.ENABLE_CONTROL).isEmpty()) {
      LOG.info(REFUSED);
    }
    serve(config, starter, out);
  }

  /** Starts a server, says where it listens, and waits until a signal stops it. */
  static void serve(SluiceConfig config, ServerStarter starter, PrintWriter out)
      throws InterruptedException {
    ServeCommand.serve(
        config,
        starter,
        _ -> {},
        server -> List.of("Sluice " + VersionText.number() + " listens on " + server.addresses()),
        out);
  }
}
