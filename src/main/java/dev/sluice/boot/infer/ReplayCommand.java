package dev.sluice.boot.infer;

import dev.sluice.config.binding.ConfigException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code sluice replay}: sends the requests of an inference log again, by V2 over HTTP, and prints
 * how the responses differ from those that were recorded. Exit codes: 0 none differs; 1 some do, or
 * the server does not answer; 2 wrong flags or files, or nothing to compare.
 */
@Command(
    name = "replay",
    description =
        "Sends the requests of an inference log to another version or server, and prints how the"
            + " responses differ.")
public final class ReplayCommand implements Callable<Integer> {
  /** Starts a server with the models of a folder. */
  @FunctionalInterface
  public interface ModelServer {
    /** Returns a server whose models have loaded; its caller closes it. */
    Started start(Path models);
  }

  /**
   * A server that was started for a replay.
   *
   * @param url where it listens
   */
  public record Started(String url, Runnable stop) implements AutoCloseable {
    @Override
    public void close() {
      stop.run();
    }
  }

  private static final int BLOCK = 64 * 1024;

  private final ModelServer models;

  @Parameters(index = "0", paramLabel = "LOG", description = "A file of the inference log.")
  private Path log;

  @Option(
      names = "--against",
      required = true,
      paramLabel = "URL|DIR",
      description = "The server, such as http://localhost:8080, or a folder of models to serve.")
  private String against;

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      description = "The model to ask. Default: that of each record.")
  private @Nullable String model;

  @Option(
      names = "--version",
      paramLabel = "VERSION",
      description = "The version to ask. Default: the server's.")
  private @Nullable String version;

  @Option(
      names = "--rtol",
      paramLabel = "NUMBER",
      description = "Relative tolerance of floating point numbers. Default: 1e-5.")
  private double relative = 1e-5;

  @Option(
      names = "--atol",
      paramLabel = "NUMBER",
      description = "Absolute tolerance of floating point numbers. Default: 1e-8.")
  private double absolute = 1e-8;

  @Option(
      names = "--show",
      paramLabel = "COUNT",
      description = "Differences that are printed. Default: 20.")
  private int show = 20;

  @Mixin private ServerOptions options;

  @Spec private CommandSpec spec;

  /**
   * @param models serves a folder of models
   */
  @SuppressWarnings("NullAway.Init") // picocli injects the fields
  public ReplayCommand(ModelServer models) {
    this.models = models;
  }

  @Override
  public Integer call() {
    WireProtocol.requireNumber(version);
    if (!Files.isReadable(log)) {
      throw new ConfigException("the log " + log + " is no file that can be read");
    }
    var tolerance = new Tolerance(relative, absolute);
    if (ServerOptions.isUrl(against)) {
      return replay(options.server("--against", against), tolerance);
    }
    Path folder = Path.of(against);
    if (!Files.isDirectory(folder)) {
      throw new ConfigException(
          "--against is '%s'; wanted a URL such as http://localhost:8080, or a folder of models"
              .formatted(against));
    }
    try (Started server = models.start(folder)) {
      return replay(options.server("--against", server.url()), tolerance);
    }
  }

  private int replay(ServerCall server, Tolerance tolerance) {
    var report = new ReplayReport(tolerance, show);
    PrintWriter out = spec.commandLine().getOut();
    try (BufferedReader lines = Files.newBufferedReader(log);
        ServerCall.Connection connection = server.open(WireProtocol.V2)) {
      long last = linesUntilNow();
      String line = lines.readLine();
      for (long number = 1; number <= last && line != null; number++) {
        replay(RecordedRequest.read(number, line), connection, report);
        line = lines.readLine();
      }
    } catch (IOException e) {
      throw new ConfigException("cannot read the log " + log + ": " + e);
    }
    report.print(out);
    out.flush();
    return report.exitCode();
  }

  /**
   * Returns how many lines of the log have ended: a server that is asked may write what it is asked
   * into it. A log of one line without an end was made by hand, and is taken.
   */
  private long linesUntilNow() throws IOException {
    long ended = 0;
    try (InputStream bytes = Files.newInputStream(log)) {
      byte[] block = new byte[BLOCK];
      for (int read = bytes.read(block); read > 0; read = bytes.read(block)) {
        for (int i = 0; i < read; i++) {
          ended += block[i] == '\n' ? 1 : 0;
        }
      }
    }
    return Math.max(1, ended);
  }

  /** Sends one record, if it can be sent, and compares. */
  private void replay(
      RecordedRequest recorded, ServerCall.Connection connection, ReplayReport report) {
    if (!recorded.skipped().isEmpty()) {
      report.skipped(recorded.skipped());
      return;
    }
    try {
      String path = WireProtocol.V2.path(model == null ? recorded.model() : model, version);
      report.answered(recorded, connection.send(path, recorded.body()));
    } catch (InferFailure e) {
      if (e.status() == 0) {
        throw e;
      }
      report.refused(recorded, e);
    }
  }
}
