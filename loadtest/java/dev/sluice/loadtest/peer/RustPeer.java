package dev.sluice.loadtest.peer;

import dev.sluice.loadtest.process.Children;
import dev.sluice.loadtest.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A bare server in Rust: hyper, tonic and ort around the library of ONNX Runtime that Sluice has.
 * It reads, runs and writes on one thread for each core, and has neither queue nor metrics nor
 * checks: what a team that writes its own server for one model would get at best.
 */
public final class RustPeer {
  /** What it is made of, with versions. */
  public static final String PACKAGES = "hyper 1.12, tonic 0.14, ort 2.0";

  private static final List<String> SOURCES =
      List.of("Cargo.toml", "src/main.rs", "src/model.rs", "src/http.rs", "src/grpc.rs");
  private static final Duration BUILDING = Duration.ofMinutes(15);

  private final Children children;
  private final Path program;

  /**
   * Builds the server, by the {@code cargo} of the machine.
   *
   * @param folder below which it has a folder of its own
   * @throws IllegalStateException if it cannot be built here
   */
  public RustPeer(Children children, Path folder) throws IOException {
    Path home = folder.resolve("rust").toAbsolutePath();
    for (String source : SOURCES) {
      PythonPeer.resource("rust/" + source, home.resolve(source));
    }
    System.out.println("  builds " + PACKAGES + " …");
    children.output(
        List.of(
            "cargo",
            "build",
            "--quiet",
            "--release",
            "--manifest-path",
            home.resolve("Cargo.toml").toString()),
        BUILDING);
    this.children = children;
    this.program = home.resolve("target/release/bare-server");
  }

  /**
   * Starts it. Returns when it is ready.
   *
   * @param model the name of the model
   * @param file the ONNX model, with an input {@code x} and an output {@code y}
   */
  public RunningPeer start(String model, Path file) throws IOException {
    Path library =
        Path.of(System.getProperty("sluice.native.dir"), "onnx", "libonnxruntime.so")
            .toAbsolutePath();
    return RunningPeer.started((http, grpc) ->
        ServerProcess.told(
            children,
            List.of(
                program.toString(),
                Integer.toString(http),
                Integer.toString(grpc),
                library.toString(),
                model,
                file.toAbsolutePath().toString()),
            Map.of(),
            http,
            "rust-" + model));
  }
}
