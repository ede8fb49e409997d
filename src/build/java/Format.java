import com.google.googlejavaformat.java.Formatter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Checks ({@code --check}) or rewrites ({@code --fix}) the layout of every Java file below some
 * folders. Run by the build on the JDK that compiles the project, because the formatter understands
 * no newer syntax than the JVM it runs on.
 */
public final class Format {
  public static void main(String[] args) throws Exception {
    boolean fix = args[0].equals("--fix");
    var formatter = new Formatter();
    var wrong = new ArrayList<Path>();
    for (Path file : javaFiles(Arrays.asList(args).subList(1, args.length))) {
      String source = Files.readString(file);
      String formatted = formatter.formatSourceAndFixImports(source);
      if (!formatted.equals(source)) {
        wrong.add(file);
        if (fix) {
          Files.writeString(file, formatted);
        }
      }
    }
    wrong.forEach(file -> System.err.println((fix ? "formatted " : "not formatted: ") + file));
    if (!fix && !wrong.isEmpty()) {
      System.err.println("'make fmt' formats them.");
      System.exit(1);
    }
  }

  private static List<Path> javaFiles(List<String> folders) throws IOException {
    var found = new ArrayList<Path>();
    for (String folder : folders) {
      try (var files = Files.walk(Path.of(folder))) {
        files.filter(file -> file.toString().endsWith(".java")).sorted().forEach(found::add);
      }
    }
    return found;
  }
}
