package dev.sluice.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Packages of Python in a virtual environment below {@code target}, which is made at its first use.
 * For the test's own thread.
 *
 * @param place the environment
 */
public record PythonPackages(Path place) {
  private static final int INSTALLING_SECONDS = 240;

  /**
   * Installs packages unless they are; where they cannot be had, the test is left out.
   *
   * @param name of the environment
   * @param requirements file below {@code src/test/python}
   */
  public static PythonPackages install(String name, String requirements) throws IOException {
    Path place = Path.of("target", name);
    Path wanted = Path.of("src/test/python", requirements);
    var packages = new PythonPackages(place);
    Path done = place.resolve("installed");
    if (!Files.exists(done) || !Files.readString(done).equals(Files.readString(wanted))) {
      assumeTrue(ends("python3", "-m", "venv", "--clear", place.toString()), "no Python 3 here");
      assumeTrue(packages.pip(wanted), "what is in " + wanted + " cannot be installed");
      Files.copy(wanted, done);
    }
    return packages;
  }

  private boolean pip(Path wanted) {
    return ends(
        program("pip"),
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
        wanted.toString());
  }

  /** Returns the path of a program that a package brought. */
  public String program(String name) {
    return place.resolve("bin").resolve(name).toString();
  }

  /** Returns a command that runs a script. */
  public List<String> script(String script, String... arguments) {
    var command = new ArrayList<>(List.of(program("python"), script));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Runs a program; returns whether it was there and ended well in a few minutes. */
  public static boolean ends(String... command) {
    try {
      Process process = new ProcessBuilder(command).inheritIO().start();
      process.onExit().completeOnTimeout(process, INSTALLING_SECONDS, TimeUnit.SECONDS).join();
      boolean ended = !process.isAlive();
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      return ended && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
