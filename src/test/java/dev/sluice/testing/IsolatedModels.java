package dev.sluice.testing;

import dev.sluice.boot.ModelProcessMain;
import dev.sluice.config.model.IsolationConfig;
import dev.sluice.config.model.OnnxConfig;
import dev.sluice.config.model.RuntimesConfig;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.runtime.isolation.IsolatingProvider;
import dev.sluice.runtime.isolation.ProcessLauncher;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.runtime.tensorflow.TensorflowRuntimeProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Models in processes of their own, and what such processes leave behind. */
public final class IsolatedModels {
  private static final long MAX_OUTPUT = 1L << 30;

  private IsolatedModels() {}

  /** Opens a model in a process of its own. */
  public static ModelSession open(Path folder) {
    return open(folder, 0, Duration.ofSeconds(10));
  }

  /**
   * The same with other settings than the defaults.
   *
   * @param memory bytes that native code may take
   */
  public static ModelSession open(Path folder, long memory, Duration killAfter) {
    var isolation = new IsolationConfig(IsolationConfig.Mode.PROCESS, memory, killAfter);
    var settings =
        new RuntimesConfig(
            OnnxConfig.DEFAULT.with(isolation), TensorflowConfig.DEFAULT.with(isolation));
    RuntimeProvider onnx = new OnnxRuntimeProvider();
    RuntimeProvider runtime = onnx.recognises(folder) ? onnx : new TensorflowRuntimeProvider();
    var launcher = new ProcessLauncher(ModelProcessMain.class.getName());
    return new IsolatingProvider(runtime, launcher, MAX_OUTPUT)
        .open(new ModelSource(new ModelId("test", 1), folder, settings));
  }

  /** Sends a signal to a process. */
  public static void signal(ProcessHandle process, String name) {
    try {
      var command = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()));
      if (command.inheritIO().start().waitFor() != 0) {
        throw new IllegalStateException("process " + process.pid() + " is not there");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Processes that a process has started and that still run models. */
  public static List<ProcessHandle> of(ProcessHandle server) {
    return server.children().filter(IsolatedModels::runsAModel).toList();
  }

  /** What the JDK knows of a command line ends before the class path does. */
  private static boolean runsAModel(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
          .contains(ModelProcessMain.class.getName());
    } catch (IOException _) {
      return false;
    }
  }

  /** Files of shared memory that a process has made and that still have names. */
  public static List<Path> files(long pid) {
    try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
      return files.filter(file -> file.toString().contains("sluice-" + pid + "-")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many regions of shared memory this process has mapped. */
  public static long mappings() {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      return maps.filter(line -> line.contains("sluice-" + ProcessHandle.current().pid())).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
