package dev.sluice.boot.cli;

import dev.sluice.boot.infer.InferCommand;
import dev.sluice.boot.infer.InferFailure;
import dev.sluice.boot.infer.ReplayCommand;
import dev.sluice.config.binding.ConfigException;
import java.io.PrintWriter;
import java.util.Map;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line: {@code sluice} and its commands.
 *
 * <p>Exit codes: 0 done; 1 it could not start, or a model failed; 2 wrong flags or settings.
 */
@Command(
    name = "sluice",
    description =
        "One inference server for TensorFlow Serving, KServe, Open Inference and grps clients.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class)
public final class SluiceCommand implements Runnable {
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  private SluiceCommand() {}

  /** Returns the whole command line. */
  public static CommandLine commandLine(ServerStarter starter, Map<String, String> environment) {
    return commandLine(starter, starter, environment);
  }

  /**
   * Returns the whole command line.
   *
   * @param settled starts a server and waits until its models have loaded
   * @param atOnce starts a server and does not wait
   */
  public static CommandLine commandLine(
      ServerStarter settled, ServerStarter atOnce, Map<String, String> environment) {
    return new CommandLine(new SluiceCommand())
        .addSubcommand(new ServeCommand(settled, environment))
        .addSubcommand(new CheckCommand(settled, environment))
        .addSubcommand(new InferCommand(System.in))
        .addSubcommand(new ReplayCommand(new ReplayedModels(settled)))
        .addSubcommand(new HealthCommand())
        .addSubcommand(new AotCacheCommand(settled))
        .addSubcommand(new ModelServerCommand(atOnce, environment))
        .addSubcommand(new TritonServerCommand(settled, environment))
        .addSubcommand(KserveCommand.commandLine(atOnce, environment))
        .addSubcommand(new GenerateCompletion())
        .setParameterExceptionHandler(SluiceCommand::explainUsage)
        .setExecutionExceptionHandler(SluiceCommand::explainFailure);
  }

  /**
   * Returns {@code sluice health} alone: it runs every few seconds, and what it does not load it
   * does not wait for.
   */
  public static CommandLine healthCommand() {
    return new CommandLine(new HealthCommand())
        .setCommandName("sluice health")
        .setParameterExceptionHandler(SluiceCommand::explainUsage)
        .setExecutionExceptionHandler(SluiceCommand::explainFailure);
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "A command is missing: "
            + String.join(", ", spec.commandLine().getSubcommands().keySet())
            + ".");
  }

  private static int explainUsage(ParameterException mistake, String[] arguments) {
    CommandLine command = mistake.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("sluice: " + mistake.getMessage());
    if (!UnmatchedArgumentException.printSuggestions(mistake, err)) {
      err.println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
    }
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }

  private static int explainFailure(
      Exception failure, CommandLine command, CommandLine.ParseResult arguments) throws Exception {
    int code =
        switch (failure) {
          case ConfigException _ -> CommandLine.ExitCode.USAGE;
          case StartFailure _, InferFailure _ -> CommandLine.ExitCode.SOFTWARE;
          // A fault of the program: picocli shows the trace and exits with 1.
          default -> throw failure;
        };
    command.getErr().println("sluice: " + failure.getMessage());
    command.getErr().flush();
    return code;
  }
}
