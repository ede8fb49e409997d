package dev.sluice.stress;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;

/**
 * Runs the concurrency tests and exits with 1 if an outcome was forbidden: the library itself says
 * so only in its report. Arguments are the library's own, such as {@code -m quick -t Queue}.
 */
public final class StressRun {
  private static final Pattern ALL_PASSED =
      Pattern.compile(
          "Failed tests: No matches.*Error tests: No matches.*All remaining tests: [1-9]",
          Pattern.DOTALL);

  private StressRun() {}

  /** Runs the tests that the arguments choose. */
  public static void main(String[] args) throws Exception {
    var options = new Options(args);
    if (!options.parse()) {
      System.exit(2);
    }
    System.exit(passed(options) ? 0 : 1);
  }

  private static boolean passed(Options options) throws Exception {
    PrintStream console = System.out;
    var report = new ByteArrayOutputStream();
    try (var both = new PrintStream(new Tee(console, report), true, StandardCharsets.UTF_8)) {
      System.setOut(both);
      new JCStress(options).run();
    } finally {
      System.setOut(console);
    }
    return ALL_PASSED.matcher(report.toString(StandardCharsets.UTF_8)).find();
  }

  /** Writes to the console what it keeps. */
  private static final class Tee extends FilterOutputStream {
    private final ByteArrayOutputStream kept;

    Tee(PrintStream console, ByteArrayOutputStream kept) {
      super(console);
      this.kept = kept;
    }

    @Override
    public void write(int value) {
      kept.write(value);
      ((PrintStream) out).write(value);
    }

    @Override
    public void close() {
      ((PrintStream) out).flush();
    }
  }
}
