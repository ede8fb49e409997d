package dev.sluice.boot;

import dev.sluice.boot.cli.ServerStarter;
import dev.sluice.boot.cli.SluiceCommand;
import dev.sluice.boot.cli.StartFailure;
import dev.sluice.config.SluiceConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Runs the command line inside the test's own process. */
public final class CommandLineProbe {
  private CommandLineProbe() {}

  /** What the command ends with. */
  public static int exitCode(String... args) {
    return SluiceCommand.commandLine(SluiceServer::startSettled, Map.of()).execute(args);
  }

  /** What the command prints; fails unless it succeeds. */
  public static String output(String... args) {
    var out = new StringWriter();
    int code =
        SluiceCommand.commandLine(SluiceServer::startSettled, Map.of())
            .setOut(new PrintWriter(out))
            .execute(args);
    if (code != 0) {
      throw new AssertionError("ended with " + code);
    }
    return out.toString();
  }

  /** The settings with which a command would start a server; empty if it would not. */
  public static Optional<SluiceConfig> settings(String... args) {
    var settings = new AtomicReference<SluiceConfig>();
    ServerStarter starter =
        config -> {
          settings.set(config);
          throw new StartFailure("only the settings are wanted");
        };
    SluiceCommand.commandLine(starter, Map.of()).execute(args);
    return Optional.ofNullable(settings.get());
  }
}
