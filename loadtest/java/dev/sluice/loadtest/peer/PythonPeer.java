package dev.sluice.loadtest.peer;

import dev.sluice.loadtest.process.Children;
import dev.sluice.loadtest.process.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A server that Python's package index has. It is installed into a virtual environment of its own
 * at its first use, by the {@code pip} of the machine's {@code python3}, and runs an ONNX model
 * with the version of ONNX Runtime that Sluice has.
 */
public enum PythonPeer {
  /** The index has Triton without its ONNX Runtime backend: its Python backend runs the model. */
  TRITON("triton", "nvidia-pytriton==0.7.0") {
    @Override
    void write(Path home, String model, Path file) throws IOException {
      Path folder = home.resolve("models").resolve(model);
      copy(file, folder.resolve("1/model.onnx"));
      resource("triton.py", folder.resolve("1/model.py"));
      resource("triton.pbtxt", folder.resolve("config.pbtxt"));
      Path server = PythonEnvironment.packages(home).resolve("pytriton/tritonserver");
      Path python = home.resolve("backends/python");
      for (String part : List.of("libtriton_python.so", "triton_python_backend_utils.py")) {
        copy(server.resolve("backends/python").resolve(part), python.resolve(part));
      }
      String version = PythonEnvironment.version(home);
      String stub = "triton_python_backend_stub";
      copy(
          server.resolve("python_backend_stubs").resolve(version).resolve(stub),
          python.resolve(stub));
    }

    @Override
    List<String> command(Path home, String model, int http, int grpc) throws IOException {
      return List.of(
          PythonEnvironment.packages(home)
              .resolve("pytriton/tritonserver/bin/tritonserver")
              .toString(),
          "--model-repository=" + home.resolve("models"),
          "--backend-directory=" + home.resolve("backends"),
          "--http-address=127.0.0.1",
          "--http-port=" + http,
          "--grpc-address=127.0.0.1",
          "--grpc-port=" + grpc,
          "--allow-metrics=false");
    }

    @Override
    Map<String, String> environment(Path home, int http, int grpc) throws IOException {
      return Map.of(
          "LD_LIBRARY_PATH",
              PythonEnvironment.packages(home).resolve("nvidia_pytriton.libs").toString(),
          "PYTHONPATH", PythonEnvironment.packages(home).toString(),
          "PATH", home.resolve("bin") + ":" + System.getenv("PATH"));
    }
  },

  /** Without processes of its own for inference, which its documentation has for small models. */
  MLSERVER("mlserver", "mlserver==1.7.1") {
    @Override
    void write(Path home, String model, Path file) throws IOException {
      Path folder = home.resolve("models").resolve(model);
      copy(file, folder.resolve("model.onnx"));
      resource("mlserver.py", folder.resolve("onnx_model.py"));
      resource("mlserver.json", folder.resolve("model-settings.json"));
    }

    @Override
    List<String> command(Path home, String model, int http, int grpc) {
      return List.of(
          home.resolve("bin/mlserver").toString(), "start", home.resolve("models").toString());
    }

    @Override
    Map<String, String> environment(Path home, int http, int grpc) {
      return Map.of(
          "MLSERVER_HOST", "127.0.0.1",
          "MLSERVER_HTTP_PORT", Integer.toString(http),
          "MLSERVER_GRPC_PORT", Integer.toString(grpc),
          "MLSERVER_PARALLEL_WORKERS", "0",
          "MLSERVER_METRICS_ENDPOINT", "");
    }
  },

  /** It has no setting for the interface: it listens on all. */
  KSERVE("kserve", "kserve==0.21.0") {
    @Override
    void write(Path home, String model, Path file) throws IOException {
      copy(file, home.resolve("model.onnx"));
      resource("kserve.py", home.resolve("serve.py"));
    }

    @Override
    List<String> command(Path home, String model, int http, int grpc) {
      return List.of(
          home.resolve("bin/python").toString(),
          home.resolve("serve.py").toString(),
          model,
          home.resolve("model.onnx").toString(),
          "--http_port=" + http,
          "--grpc_port=" + grpc,
          "--enable_latency_logging=false");
    }

    @Override
    Map<String, String> environment(Path home, int http, int grpc) {
      return Map.of();
    }
  };

  private final String peer;
  private final String pinnedPackage;

  PythonPeer(String peer, String pinnedPackage) {
    this.peer = peer;
    this.pinnedPackage = pinnedPackage;
  }

  /** Its name in rows, folders and on the command line. */
  public String peer() {
    return peer;
  }

  /** The package that it is installed by, with its version. */
  public String pinnedPackage() {
    return pinnedPackage;
  }

  /** Writes what the server is started on. */
  abstract void write(Path home, String model, Path file) throws IOException;

  abstract List<String> command(Path home, String model, int http, int grpc) throws IOException;

  abstract Map<String, String> environment(Path home, int http, int grpc) throws IOException;

  /**
   * Installs the server unless that is done, and starts it. Returns when it is ready.
   *
   * @param folder below which it has a folder of its own
   * @param model the name of the model
   * @param file the ONNX model
   * @throws IllegalStateException if it cannot be installed or does not start here
   */
  public RunningPeer start(Children children, Path folder, String model, Path file)
      throws IOException {
    Path home = folder.resolve(peer).toAbsolutePath();
    PythonEnvironment.install(children, home, pinnedPackage);
    write(home, model, file);
    return RunningPeer.started((http, grpc) ->
        ServerProcess.told(
            children, command(home, model, http, grpc), environment(home, http, grpc), http, peer));
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(Objects.requireNonNull(to.getParent()));
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
  }

  static void resource(String name, Path to) throws IOException {
    Files.createDirectories(Objects.requireNonNull(to.getParent()));
    try (InputStream in = Objects.requireNonNull(PythonPeer.class.getResourceAsStream(name))) {
      Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
