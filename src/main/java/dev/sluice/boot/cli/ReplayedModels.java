package dev.sluice.boot.cli;

import dev.sluice.boot.infer.ReplayCommand;
import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Serves a folder of models on a free port of loopback, for {@code sluice replay} and {@code sluice
 * aot-cache}.
 *
 * @param starter starts servers
 */
record ReplayedModels(ServerStarter starter) implements ReplayCommand.ModelServer {
  @Override
  public ReplayCommand.Started start(Path models) {
    Server server = serve(models, "replay");
    return new ReplayCommand.Started("http://" + server.addresses().getFirst(), server::close);
  }

  /**
   * Returns a server of these models; its caller closes it.
   *
   * @param command named in complaints about settings
   */
  Server serve(Path models, String command) {
    Map<String, String> settings =
        Map.of(
            "models.directory", models.toString(),
            "listeners", "127.0.0.1:0",
            "log.level", "warn",
            "shutdown.grace_period", "0s");
    List<SettingOverride> overrides =
        settings.entrySet().stream()
            .map(setting -> new SettingOverride(setting.getKey(), setting.getValue(), command))
            .toList();
    return starter.start(
        LogSetup.whileReadingSettings(
            _ -> new SluiceConfigReader(_ -> {}).read(Optional.empty(), Map.of(), overrides)));
  }
}
