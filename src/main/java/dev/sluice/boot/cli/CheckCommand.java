package dev.sluice.boot.cli;

import dev.sluice.boot.log.LogSetup;
import dev.sluice.config.SluiceConfig;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code sluice check}: loads every model, says what is there, what failed and what could be
 * better, and ends.
 */
@Command(
    name = "check",
    description = "Loads every model, prints what is there and what failed, and exits.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class)
final class CheckCommand implements Callable<Integer> {
  private final ServerStarter starter;
  private final Map<String, String> environment;

  @Mixin private SettingsOptions options;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  CheckCommand(ServerStarter starter, Map<String, String> environment) {
    this.starter = starter;
    this.environment = environment;
  }

  @Override
  public Integer call() {
    SluiceConfig config = LogSetup.whileReadingSettings(warn -> options.read(environment, warn));
    List<ModelLine> models;
    List<String> advice;
    try (Server server = starter.start(config.with(List.of(), config.repository()))) {
      models = server.models();
      advice = server.advice();
    }
    return print(config, models, advice);
  }

  private int print(SluiceConfig config, List<ModelLine> models, List<String> advice) {
    PrintWriter out = spec.commandLine().getOut();
    if (models.isEmpty()) {
      out.println("No models in " + ModelReports.directories(config.repository()) + ".");
    } else {
      ModelReports.details(models).forEach(out::println);
    }
    printParagraph(out, advice);
    List<String> failures = ModelReports.failures(models);
    printParagraph(out, failures);
    out.flush();
    return failures.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private static void printParagraph(PrintWriter out, List<String> lines) {
    if (!lines.isEmpty()) {
      out.println();
      lines.forEach(out::println);
    }
  }
}
