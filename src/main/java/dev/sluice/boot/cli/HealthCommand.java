package dev.sluice.boot.cli;

import dev.sluice.config.binding.Units;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code sluice health}: asks a running server whether it is ready, for health checks of containers
 * that have no other program. Exit codes: 0 it is; 1 it is not, or does not answer; 2 wrong flags.
 */
@Command(
    name = "health",
    description = "Asks a running server whether it is ready, and exits with 0 if it is.")
final class HealthCommand implements Callable<Integer> {
  @Option(names = "--live", description = "Ask whether it is alive: models may still load.")
  private boolean live;

  @SuppressWarnings("UnusedVariable") // the default, for those who write what they mean
  @Option(names = "--ready", description = "Ask whether it is ready. Default.")
  private boolean ready;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "${env:SLUICE_HEALTH_URL:-http://localhost:8080}",
      description =
          "The server, http or https; with a path of its own instead of one of V2, if it has one."
              + " Default: SLUICE_HEALTH_URL, or else http://localhost:8080.")
  private String url;

  @Option(
      names = "--socket",
      paramLabel = "FILE",
      description = "Connect to this Unix domain socket; the URL says what else there is to say.")
  private @Nullable Path socket;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      description =
          "The authority that the server's certificate is of, in PEM. Without it the certificate"
              + " is not verified, as by the probes of Kubernetes.")
  private @Nullable Path authority;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      defaultValue = "${env:SLUICE_HEALTH_TOKEN}",
      description = "Sent as Authorization: Bearer. Default: SLUICE_HEALTH_TOKEN, or none.")
  private @Nullable String token;

  @Option(names = "--api-key", paramLabel = "KEY", description = "Sent as X-API-Key.")
  private @Nullable String apiKey;

  @Option(names = "--timeout", paramLabel = "TIME", description = "Default: 5s.")
  private String timeout = "5s";

  @SuppressWarnings("UnusedVariable") // picocli reads it
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean help;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  HealthCommand() {}

  @Override
  public Integer call() {
    String failure = probe().failure();
    if (failure.isEmpty()) {
      return ExitCode.OK;
    }
    PrintWriter err = spec.commandLine().getErr();
    err.println("sluice: " + failure);
    err.flush();
    return ExitCode.SOFTWARE;
  }

  private HealthProbe probe() {
    return new HealthProbe(
        HealthProbe.target(url, live ? "/v2/health/live" : "/v2/health/ready"),
        Optional.ofNullable(socket),
        Optional.ofNullable(authority),
        HealthProbe.headers(token, apiKey),
        Units.durationOf("--timeout", timeout));
  }
}
