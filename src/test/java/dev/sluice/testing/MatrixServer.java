package dev.sluice.testing;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.ListenerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Settings of a server that has every kind of path: those of protocols, of a plugin, of grps. */
public final class MatrixServer {
  static final String PLUGIN_PATH = "/my/echo";
  static final String GRPS_PATH = "/custom/predict";

  private MatrixServer() {}

  /** Fills a folder with models, a plugin among them. */
  public static Path models(Path folder) throws IOException {
    Path models = folder.resolve("models");
    for (String name : List.of("half_plus_two", "digits")) {
      TestModels.copy(Path.of("src/sample/models", name), models.resolve(name));
    }
    new PluginJar()
        .file("Echoes")
        .service("HttpHandler", "Echoes")
        .into(models.resolve("echoes").resolve("1"));
    Files.writeString(
        models.resolve("echoes").resolve("model.yml"), "java: { path: " + PLUGIN_PATH + " }\n");
    return models;
  }

  /** Serves them at one place, by a policy. */
  public static SluiceConfig settings(
      Path models, ListenerConfig listener, SecurityConfig security) {
    var path = new SettingOverride("grps.customized_predict_http.path", GRPS_PATH, "test");
    var memory = new SettingOverride("oip.shared_memory.enabled", "true", "test");
    return new SluiceConfigReader(_ -> {})
        .read(Optional.empty(), Map.of(), List.of(path, memory))
        .with(List.of(listener), RunningServer.trusting(models, Duration.ZERO))
        .with(security);
  }
}
