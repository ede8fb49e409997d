package dev.sluice.loadtest.peer;

import dev.sluice.loadtest.process.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Virtual environments of Python with a package and the version of ONNX Runtime that Sluice has,
 * made by the machine's {@code python3} at their first use.
 */
final class PythonEnvironment {
  private static final String ONNX_RUNTIME = "onnxruntime==1.28.0";
  private static final String PYTHON = "python";
  private static final Duration INSTALLING = Duration.ofMinutes(15);
  private static final Duration CREATING = Duration.ofMinutes(2);

  private PythonEnvironment() {}

  /**
   * Installs a package, unless that is done.
   *
   * @param home the folder of the environment
   * @throws IllegalStateException if it cannot be installed here
   */
  static void install(Children children, Path home, String pinnedPackage) throws IOException {
    Path installed = home.resolve("installed");
    String wanted = pinnedPackage + " " + ONNX_RUNTIME;
    if (Files.exists(installed) && Files.readString(installed).equals(wanted)) {
      return;
    }
    System.out.println("  installs " + wanted + " …");
    children.output(List.of("python3", "-m", "venv", "--clear", home.toString()), CREATING);
    String pip = home.resolve("bin/pip").toString();
    children.output(
        List.of(
            pip, "install", "--quiet", "--disable-pip-version-check", pinnedPackage, ONNX_RUNTIME),
        INSTALLING);
    Files.writeString(installed, wanted);
  }

  /** Returns the version of the environment's Python, such as 3.13. */
  static String version(Path home) throws IOException {
    try (Stream<Path> folders = Files.list(home.resolve("lib"))) {
      return folders
          .map(folder -> folder.getFileName().toString())
          .filter(name -> name.startsWith(PYTHON))
          .findFirst()
          .map(name -> name.substring(PYTHON.length()))
          .orElseThrow(() -> new IOException("no packages of Python in " + home));
    }
  }

  /** Returns where the packages of the environment lie. */
  static Path packages(Path home) throws IOException {
    return home.resolve("lib").resolve(PYTHON + version(home)).resolve("site-packages");
  }
}
