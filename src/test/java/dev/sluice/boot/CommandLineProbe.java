package dev.sluice.boot;

import java.util.Map;

/** Runs the command line inside the test's own process. */
public final class CommandLineProbe {
  private CommandLineProbe() {}

  /** What the command ends with. */
  public static int exitCode(String... args) {
    return SluiceCommand.commandLine(SluiceServer::startSettled, Map.of()).execute(args);
  }
}
