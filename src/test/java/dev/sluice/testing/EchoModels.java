package dev.sluice.testing;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Own models for grps: {@code your_model} gives back what comes, and is meant if none is named;
 * {@code m2} of version 2 puts its name in front of a text.
 */
public final class EchoModels {
  private EchoModels() {}

  /** Puts them into a folder, and says how to serve them. */
  public static SluiceConfig in(Path folder) throws IOException {
    new PluginJar()
        .file("Echo")
        .service("Model", "Echo")
        .service("StreamingModel", "Echo")
        .into(folder.resolve("models/your_model/1"));
    new PluginJar()
        .file("Prefixed")
        .service("Model", "Prefixed")
        .into(folder.resolve("models/m2/2"));
    Path settings = folder.resolve("echo.yml");
    Files.writeString(
        settings,
        """
        listeners: [{ address: "localhost:0", control: [online, offline] }]
        models: { directory: "%s", plugins: [your_model, m2] }
        grps: { default_model: your_model }
        """
            .formatted(folder.resolve("models")));
    return new SluiceConfigReader(_ -> {}).read(Optional.of(settings), Map.of(), List.of());
  }
}
