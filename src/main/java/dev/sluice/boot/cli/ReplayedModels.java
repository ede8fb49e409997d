package dev.sluice.boot.cli;

import dev.sluice.boot.infer.ReplayCommand;
import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfig;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;

/**
 * Serves a folder of models on a free port of loopback, for {@code sluice replay} and {@code sluice
 * aot-cache}.
 *
 * @param starter starts servers
 */
record ReplayedModels(ServerStarter starter) implements ReplayCommand.ModelServer {
  @Override
  public ReplayCommand.Started start(Path models) {
    Server server = serve(models);
    return new ReplayCommand.Started("http://" + server.addresses().getFirst(), server::close);
  }

  /** Returns a server of these models; its caller closes it. */
  Server serve(Path models) {
    return starter.start(settings(models));
  }

  /** Returns the settings that {@code sluice serve} would make of flags like these. */
  static SluiceConfig settings(Path models) {
    var options = new SettingsOptions();
    CommandLine.populateCommand(
        options,
        "--models=" + models,
        "--listen=127.0.0.1:0",
        "--log-level=warn",
        "--set=shutdown.grace_period=0s");
    return LogSetup.whileReadingSettings(_ -> options.read(Map.of(), _ -> {}));
  }
}
