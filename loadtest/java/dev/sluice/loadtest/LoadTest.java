package dev.sluice.loadtest;

import dev.sluice.loadtest.generator.Generators;
import dev.sluice.loadtest.process.Children;
import dev.sluice.loadtest.process.Cores;
import dev.sluice.loadtest.process.Pinning;
import dev.sluice.loadtest.report.Curve;
import dev.sluice.loadtest.report.MarkdownTable;
import dev.sluice.loadtest.report.Report;
import dev.sluice.loadtest.report.Row;
import dev.sluice.loadtest.row.Curves;
import dev.sluice.loadtest.row.Lab;
import dev.sluice.loadtest.row.Models;
import dev.sluice.loadtest.row.OtherVersion;
import dev.sluice.loadtest.row.Settings;
import dev.sluice.loadtest.row.Workload;
import dev.sluice.loadtest.row.Workloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/**
 * Measures, prints a table, and writes {@code report.json}, {@code report.md} and {@code
 * report.html} into {@code target/loadtest}. Ends with 1 if something could not be measured; a
 * missed goal is no failure.
 */
@Command(name = "loadtest")
final class LoadTest implements Callable<Integer> {
  private static final Path FOLDER = Path.of("target/loadtest");

  private static final Path README = Path.of("loadtest/README.md");

  @Option(names = "--rows", split = ",", description = "Which workloads; all unless said.")
  private List<String> chosen = List.of();

  @Option(names = "--round", description = "The length of a round, such as 3s.")
  private Duration round = Duration.ZERO;

  @Option(names = "--processes", description = "How many fresh processes of each side.")
  private int processes;

  @Option(names = "--full", description = "The long form: more rounds, five million requests.")
  private boolean full;

  @Option(names = "--save", description = "Also put the table into loadtest/README.md.")
  private boolean save;

  @Option(
      names = "--against",
      description =
          "Compares with this other distribution of Sluice alone: a folder with bin/sluice.")
  private @Nullable Path other;

  @Option(
      names = "--peers",
      description = "Compares with servers of others alone, which it installs by Python's pip.")
  private boolean peers;

  private LoadTest() {}

  /** The same cores for every row, as far as it does not need more for its server. */
  private record Pinnings(Cores cores, String path) {
    Pinning usual() {
      return with(1);
    }

    Pinning with(int serverCores) {
      return Pinning.of(cores, path, serverCores);
    }
  }

  /** Runs the load test and exits with its code. */
  public static void main(String[] arguments) {
    int code =
        new CommandLine(new LoadTest())
            .registerConverter(Duration.class, text -> Duration.parse("PT" + text))
            .execute(arguments);
    System.exit(code);
  }

  @Override
  public Integer call() throws IOException {
    List<String> problems = problems();
    if (!problems.isEmpty()) {
      problems.forEach(System.err::println);
      return ExitCode.SOFTWARE;
    }
    Path work = Files.createDirectories(FOLDER.resolve("work"));
    String path = System.getenv().getOrDefault("PATH", "");
    var pinnings = new Pinnings(Cores.allowed(), path);
    try (var children = new Children(work, pinnings.usual())) {
      var models = Models.writeTo(FOLDER.resolve("models"));
      Report report = measure(new Lab(settings(), children, work, models), pinnings);
      report.writeTo(FOLDER);
      if (save) {
        MarkdownTable.putInto(README, report);
      }
      System.out.println();
      System.out.println(MarkdownTable.of(report));
      System.out.println(FOLDER.resolve("report.html").toAbsolutePath().toUri());
      return report.rows().stream().allMatch(Row::measured) ? ExitCode.OK : ExitCode.SOFTWARE;
    }
  }

  private List<String> problems() {
    List<String> problems = Generators.missing(System.getenv().getOrDefault("PATH", ""));
    if (other != null && !Files.isExecutable(other.resolve("bin/sluice"))) {
      problems.add("There is no bin/sluice in %s".formatted(other));
    }
    List<String> known =
        Stream.concat(
                workloads().stream().map(Workload::name),
                comparesAlone() ? Stream.of() : Stream.of(Curves.NAME))
            .toList();
    chosen.stream()
        .filter(name -> !known.contains(name))
        .forEach(name -> problems.add("There is no row '%s', only %s".formatted(name, known)));
    return problems;
  }

  private List<Workload> workloads() {
    if (other != null) {
      return List.of(new OtherVersion(other));
    }
    return peers ? Workloads.peers() : Workloads.all();
  }

  /** Whether the usual rows are left out. */
  private boolean comparesAlone() {
    return other != null || peers;
  }

  private Settings settings() {
    Settings settings = full ? Settings.FULL : Settings.SHORT;
    Settings repeated = processes > 0 ? settings.withProcesses(processes) : settings;
    return round.isPositive() ? repeated.withRound(round) : repeated;
  }

  private Report measure(Lab lab, Pinnings pinnings) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (Workload workload : workloads()) {
      if (isChosen(workload.name())) {
        rows.addAll(measured(workload.name(), () -> repeated(workload, lab, pinnings)));
      }
    }
    List<Curve> curves = new ArrayList<>();
    if (!comparesAlone() && isChosen(Curves.NAME)) {
      lab.children().pin(pinnings.usual());
      rows.addAll(measured(Curves.NAME, () -> curves(lab, curves)));
    }
    String date = LocalDate.now(ZoneOffset.UTC).toString();
    String how = lab.settings().text() + "; " + pinnings.usual().text();
    return new Report(Machine.text(pinnings.cores().count()), date, how, rows, curves);
  }

  /** Measures with several sets of fresh processes, on the cores that the workload needs. */
  private static List<Row> repeated(Workload workload, Lab lab, Pinnings pinnings) {
    Pinning pinning = pinnings.with(workload.serverCores());
    lab.children().pin(pinning);
    List<List<Row>> repetitions = new ArrayList<>();
    int count = lab.settings().processes();
    for (int i = 1; i <= count; i++) {
      System.out.printf("  processes %d of %d, %s%n", i, count, pinning.text());
      repetitions.add(workload.measure(lab));
    }
    List<Row> rows = Row.combined(repetitions);
    return pinning.equals(pinnings.usual())
        ? rows
        : rows.stream().map(row -> row.withNote(pinning.text())).toList();
  }

  /** Curves have no goal, and so no rows. */
  private static List<Row> curves(Lab lab, List<Curve> found) {
    found.addAll(Curves.measure(lab));
    return List.of();
  }

  /** What cannot be measured leaves the others theirs. */
  private static List<Row> measured(String name, Supplier<List<Row>> measuring) {
    System.out.println(name + " …");
    List<Row> rows;
    try {
      rows = measuring.get();
    } catch (RuntimeException e) {
      rows = List.of(Row.failed(name, String.valueOf(e.getMessage())));
    }
    rows.forEach(row -> System.out.println("  " + MarkdownTable.line(row)));
    return rows;
  }

  private boolean isChosen(String name) {
    return chosen.isEmpty() || chosen.contains(name);
  }
}
