package dev.sluice.loadtest.peer;

import dev.sluice.loadtest.process.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/** The generation loop that ONNX Runtime has as a package of its own, run in Python. */
public final class GenAiLoop {
  /** The package that it is installed by, with its version. */
  public static final String PACKAGE = "onnxruntime-genai==0.15.2";

  private static final Duration SPARE = Duration.ofMinutes(1);

  private final Children children;
  private final Path home;

  /**
   * Installs the package unless that is done, and writes what it wants beside a model.
   *
   * @param folder below which it has a folder of its own
   * @param file the sample {@code chat} as ONNX
   * @throws IllegalStateException if it cannot be installed here
   */
  public GenAiLoop(Children children, Path folder, Path file) throws IOException {
    this.children = children;
    this.home = folder.resolve("genai").toAbsolutePath();
    PythonEnvironment.install(children, home, PACKAGE);
    Path model = Files.createDirectories(home.resolve("model"));
    Files.copy(file, model.resolve("model.onnx"), StandardCopyOption.REPLACE_EXISTING);
    PythonPeer.resource("genai.json", model.resolve("genai_config.json"));
    PythonPeer.resource("genai.py", home.resolve("loop.py"));
  }

  /**
   * Generates behind prompts again and again, all rows together, on the server's cores.
   *
   * @param prompts how many tokens each has
   * @param tokens how many each row generates
   * @return tokens per second of all rows together
   */
  public double run(List<Integer> prompts, int tokens, Duration round) {
    List<String> command =
        List.of(
            home.resolve("bin/python").toString(),
            home.resolve("loop.py").toString(),
            home.resolve("model").toString(),
            prompts.toString().replaceAll("[\\[\\] ]", ""),
            Integer.toString(tokens),
            Long.toString(round.toSeconds()));
    return Double.parseDouble(children.outputOnServerCores(command, round.plus(SPARE)).strip());
  }
}
