package dev.sluice.fuzz;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Fuzzes one target after the other with Jazzer, each in a process of its own: {@code FuzzRun
 * --minutes 10 [--target NAME,NAME]}. Starts from the kept inputs and from those that earlier runs
 * left in {@code target/fuzz}. Prints a line for each; exits with 1 if there are findings, which
 * lie in {@code target/fuzz/findings}.
 */
public final class FuzzRun {
  private static final Path WORK = Path.of("target/fuzz");

  /** Seconds after which an input counts as one that never ends. */
  private static final int SLOWEST = 60;

  /** Bytes of the longest input that is tried. */
  private static final int LONGEST = 4096;

  private final double minutes;

  private FuzzRun(double minutes) {
    this.minutes = minutes;
  }

  /** Runs the targets. */
  public static void main(String... arguments) throws IOException, InterruptedException {
    double minutes = 1;
    List<String> targets = FuzzTargets.names();
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      switch (arguments[i]) {
        case "--minutes" -> minutes = Double.parseDouble(arguments[i + 1]);
        case "--target" -> targets = List.of(arguments[i + 1].split(",", -1));
        default -> throw new IllegalArgumentException(arguments[i]);
      }
    }
    var run = new FuzzRun(minutes);
    int findings = 0;
    for (String target : targets) {
      findings += run.fuzz(target);
    }
    System.exit(findings == 0 ? 0 : 1);
  }

  /** Returns the number of findings, which is 0 or 1: the fuzzer ends at the first. */
  private int fuzz(String target) throws IOException, InterruptedException {
    Path found = Files.createDirectories(WORK.resolve("corpus").resolve(target));
    Path findings = Files.createDirectories(WORK.resolve("findings"));
    Path log = WORK.resolve(target + ".log");
    Process fuzzer =
        new ProcessBuilder(command(target, found, findings))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int exit = fuzzer.waitFor();
    System.out.printf("%-24s %s%n", target, exit == 0 ? summary(log) : "FINDING, see " + log);
    return exit == 0 ? 0 : 1;
  }

  private List<String> command(String target, Path found, Path findings) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+EnableDynamicAgentLoading",
            "-Xmx1500m",
            "-Dsluice.checked=true",
            "-Dsluice.fuzz.target=" + target,
            "-Dsluice.native.dir=" + System.getProperty("sluice.native.dir", ""),
            "-Dvertx.logger-delegate-factory-class-name=io.vertx.core.logging.SLF4JLogDelegateFactory",
            "-cp",
            System.getProperty("java.class.path"),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=dev.sluice.fuzz.FuzzEntry",
            "--instrumentation_includes=dev.sluice.**",
            "--custom_hook_excludes=**",
            "--reproducer_path=" + findings,
            "-artifact_prefix=" + findings + File.separator + target + "-",
            "-max_total_time=" + Duration.ofMillis((long) (minutes * 60_000)).toSeconds(),
            "-timeout=" + SLOWEST,
            "-max_len=" + LONGEST,
            "-rss_limit_mb=4096",
            "-print_final_stats=1",
            found.toString(),
            FuzzTargets.corpus(target).toString()));
    return command;
  }

  /** Returns the numbers of inputs and of covered edges. */
  private static String summary(Path log) throws IOException {
    String inputs = "";
    String coverage = "";
    try (Stream<String> lines = Files.lines(log, java.nio.charset.StandardCharsets.ISO_8859_1)) {
      for (String line : lines.toList()) {
        if (line.startsWith("stat::number_of_executed_units:")) {
          inputs = line.substring(line.indexOf(':', 6) + 1).strip();
        } else if (line.contains(" cov: ")) {
          coverage = line.substring(line.indexOf(" cov: ") + 6).split(" ", 2)[0];
        }
      }
    }
    return "%s inputs, %s edges".formatted(inputs, coverage);
  }
}
