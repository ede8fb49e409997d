package dev.sluice.boot.cli;

import dev.sluice.config.SluiceConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code sluice aot-cache}: starts a server with a tiny model on a port of loopback, sends it
 * requests, and stops it. The start script has the Java VM record what was loaded, and makes the
 * cache of that, with which later starts are faster.
 */
@Command(
    name = "aot-cache",
    description =
        "Makes the cache that shortens every later start, in lib/sluice.aot beside the jars."
            + " It holds for this Java and these jars.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class)
final class AotCacheCommand implements Callable<Integer> {
  private static final String MODEL = "training";

  private final ServerStarter starter;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the field
  AotCacheCommand(ServerStarter starter) {
    this.starter = starter;
  }

  @Override
  public Integer call() throws IOException {
    Path models = Files.createTempDirectory("sluice");
    Path file = models.resolve(MODEL).resolve("1").resolve("model.onnx");
    try {
      Files.createDirectories(file.getParent());
      write(file);
      train(models);
    } finally {
      for (@Nullable Path path = file;
          path != null && path.startsWith(models);
          path = path.getParent()) {
        Files.deleteIfExists(path);
      }
    }
    return ExitCode.OK;
  }

  private static void write(Path file) throws IOException {
    try (InputStream model = AotCacheCommand.class.getResourceAsStream("training.onnx")) {
      if (model == null) {
        throw new StartFailure("training.onnx is missing among the program's own files");
      }
      Files.copy(model, file);
    }
  }

  private void train(Path models) throws IOException {
    SluiceConfig config = ReplayedModels.settings(models);
    try (Server server = starter.start(config)) {
      List<String> failures = TrainingRequests.send(server.addresses().getFirst(), MODEL);
      if (!failures.isEmpty()) {
        throw new StartFailure("the cache is not made: " + String.join("; ", failures));
      }
      // What "serve" would print, so that the classes for that are in the cache.
      spec.commandLine()
          .getOut()
          .println(String.join(System.lineSeparator(), ServeCommand.welcome(config, server)));
    }
  }
}
