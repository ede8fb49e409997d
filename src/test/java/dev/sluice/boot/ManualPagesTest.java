package dev.sluice.boot;

import dev.sluice.boot.cli.SluiceCommand;
import dev.sluice.testing.GeneratedPage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The manual page and the completion script of the distribution are what the commands say of
 * themselves.
 */
class ManualPagesTest {
  private static final Path MANUAL = Path.of("src/dist/share/man/man1/sluice.1");
  private static final Path COMPLETION =
      Path.of("src/dist/share/bash-completion/completions/sluice");

  private static final Pattern CONTROL = Pattern.compile("(?m)^([.'])");

  private static final String TAIL =
      """
      .SH "EXIT STATUS"
      .TP
      .B 0
      Done; of
      .BR "sluice health" ,
      the server is ready; of
      .BR "sluice replay" ,
      nothing differs.
      .TP
      .B 1
      The server could not start, a model failed, or the request was not answered; of
      .BR "sluice replay" ,
      something differs, or there was no answer.
      .TP
      .B 2
      Wrong flags, settings or files; of
      .BR "sluice replay" ,
      also nothing to compare.
      .TP
      .B 3
      The process ran out of memory.
      .SH ENVIRONMENT
      .TP
      .B SLUICE_CONFIG
      The file of settings, unless \\-\\-config names one.
      .TP
      .BI SLUICE_ SETTING
      A setting, such as SLUICE_LIMITS_MAX_BODY_SIZE, which beats the one in the file.
      .TP
      .B SLUICE_HEALTH_URL
      The server that
      .B sluice health
      asks, unless \\-\\-url names one.
      .TP
      .B SLUICE_HEALTH_TOKEN
      The token that it sends, unless \\-\\-token is given.
      .TP
      .B SLUICE_JAVA_OPTS
      Flags for Java, such as \\-Xmx2g, which beat those of the start script.
      .TP
      .B JAVA_HOME
      Where Java lies, unless the distribution has its own.
      """;

  private final CommandLine sluice =
      SluiceCommand.commandLine(
          _ -> {
            throw new AssertionError("nothing starts");
          },
          Map.of());

  @Test
  void manualPageHasEachCommandAndFlag() throws IOException {
    var page = new StringBuilder();
    page.append(".TH SLUICE 1 \"\" Sluice \"User Commands\"\n.SH NAME\nsluice \\- ")
        .append(roff(purpose()))
        .append("\n.SH SYNOPSIS\n.B sluice\n.I command\n.RI [ flag ...]\n.SH COMMANDS\n");
    for (CommandLine command : sluice.getSubcommands().values()) {
      command(page, command);
    }
    GeneratedPage.assertIs(MANUAL, page.append(TAIL).toString());
  }

  /** A name's line has no full stop. */
  private String purpose() {
    return text(sluice.getCommandSpec().usageMessage().description()).replaceFirst("\\.$", "");
  }

  private static void command(StringBuilder page, CommandLine command) {
    page.append(".SS \"sluice ").append(roff(command.getCommandName())).append("\"\n");
    page.append(roff(text(command.getCommandSpec().usageMessage().description()))).append('\n');
    for (PositionalParamSpec parameter : command.getCommandSpec().positionalParameters()) {
      if (!parameter.hidden()) {
        page.append(".TP\n.I ").append(roff(parameter.paramLabel())).append('\n');
        described(page, parameter);
      }
    }
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (!option.hidden()) {
        page.append(".TP\n\\fB")
            .append(roff(String.join(", ", option.names())))
            .append("\\fR")
            .append(option.arity().max() == 0 ? "" : " \\fI" + roff(option.paramLabel()) + "\\fR")
            .append('\n');
        described(page, option);
      }
    }
  }

  private static void described(StringBuilder page, ArgSpec argument) {
    page.append(roff(text(argument.description()))).append('\n');
  }

  private static String text(String... lines) {
    return String.join(" ", lines).replaceAll("\\s+", " ").replace("%n", " ").replace("%%", "%");
  }

  /** Returns text that roff shows as it is. */
  private static String roff(String text) {
    return CONTROL.matcher(text.replace("\\", "\\e").replace("-", "\\-")).replaceAll("\\\\&$1");
  }

  @Test
  void completionScriptIsTheOneThatTheCommandPrints() throws IOException {
    GeneratedPage.assertIs(COMPLETION, AutoComplete.bash("sluice", sluice));
  }
}
