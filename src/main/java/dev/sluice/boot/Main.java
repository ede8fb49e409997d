package dev.sluice.boot;

import dev.sluice.boot.cli.SluiceCommand;
import dev.sluice.boot.log.LogSetup;
import java.util.Arrays;

/**
 * Entry point of the process.
 *
 * <p>Everything else is in {@link SluiceCommand} and its sub-commands; the exit code is theirs.
 */
public final class Main {
  private Main() {}

  /** Runs the command line and exits with its code; see {@link SluiceCommand}. */
  public static void main(String[] arguments) {
    if (arguments.length > 0 && arguments[0].equals("health")) {
      System.exit(
          SluiceCommand.healthCommand()
              .execute(Arrays.copyOfRange(arguments, 1, arguments.length)));
    }
    LogSetup.forWholeProcess();
    UncaughtFailures.endWhenOutOfMemory();
    int code =
        SluiceCommand.commandLine(
                arguments, SluiceServer::startSettled, SluiceServer::start, System.getenv())
            .execute(arguments);
    LogSetup.finish();
    System.exit(code);
  }
}
