package dev.sluice.boot.cli;

import dev.sluice.boot.infer.ReplayCommand;
import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Serves a folder of models on a free port of loopback, for {@code sluice replay}.
 *
 * @param starter starts servers
 */
record ReplayedModels(ServerStarter starter) implements ReplayCommand.ModelServer {
  @Override
  public ReplayCommand.Started start(Path models) {
    SluiceConfig config = LogSetup.whileReadingSettings(_ -> settings(models));
    Server server = starter.start(config);
    return new ReplayCommand.Started("http://" + server.addresses().getFirst(), server::close);
  }

  private static SluiceConfig settings(Path models) {
    return new SluiceConfigReader(_ -> {})
        .read(
            Optional.empty(),
            Map.of(),
            List.of(
                setting("models.directory", models.toString()),
                setting("listeners", "127.0.0.1:0"),
                setting("log.level", "warn"),
                setting("shutdown.grace_period", "0s")));
  }

  private static SettingOverride setting(String path, String value) {
    return new SettingOverride(path, value, "replay");
  }
}
