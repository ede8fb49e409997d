package dev.sluice.boot.cli;

import dev.sluice.boot.infer.InferCommand;
import dev.sluice.boot.infer.InferFailure;
import dev.sluice.boot.infer.ReplayCommand;
import dev.sluice.config.binding.ConfigException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
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
        "One inference server for TensorFlow Serving, KServe, Open Inference, grps and OpenAI"
            + " clients.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionText.class)
public final class SluiceCommand implements Runnable {
  /** Writes a script that knows all commands. */
  private static final String COMPLETION = "generate-completion";

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
    return with(commands(settled, atOnce, environment));
  }

  /**
   * Returns the command line for these arguments: if the first one is a command, with that command
   * alone (unless it is about all of them), since reading the options of all takes a tenth of a
   * second of a server's start.
   *
   * @see #commandLine(ServerStarter, ServerStarter, Map)
   */
  public static CommandLine commandLine(
      String[] arguments,
      ServerStarter settled,
      ServerStarter atOnce,
      Map<String, String> environment) {
    Map<String, Supplier<?>> commands = commands(settled, atOnce, environment);
    if (arguments.length > 0
        && commands.containsKey(arguments[0])
        && !arguments[0].equals(COMPLETION)) {
      commands.keySet().retainAll(Set.of(arguments[0]));
    }
    return with(commands);
  }

  private static Map<String, Supplier<?>> commands(
      ServerStarter settled, ServerStarter atOnce, Map<String, String> environment) {
    Map<String, Supplier<?>> commands = new LinkedHashMap<>();
    commands.put("serve", () -> new ServeCommand(atOnce, environment));
    commands.put("check", () -> new CheckCommand(settled, environment));
    commands.put("infer", () -> new InferCommand(System.in));
    commands.put("replay", () -> new ReplayCommand(new ReplayedModels(settled)));
    commands.put("health", HealthCommand::new);
    commands.put("aot-cache", () -> new AotCacheCommand(settled));
    commands.put("tensorflow_model_server", () -> new ModelServerCommand(atOnce, environment));
    commands.put("tritonserver", () -> new TritonServerCommand(atOnce, environment));
    commands.put("kserve", () -> KserveCommand.commandLine(atOnce, environment));
    // Not a method reference: the cache of "aot-cache" would hold this class then, which it cannot.
    commands.put(COMPLETION, () -> new GenerateCompletion());
    return commands;
  }

  private static CommandLine with(Map<String, Supplier<?>> commands) {
    var line = new CommandLine(new SluiceCommand());
    commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
    // Else it takes any arguments.
    line.getSubcommands().values().forEach(command -> command.getCommandSpec().helpCommand(false));
    return line.setParameterExceptionHandler(SluiceCommand::explainUsage)
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
