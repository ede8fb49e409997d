package dev.sluice.runtime.isolation;

import dev.sluice.runtime.NativeLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Starts processes for models: the same Java, class path and native libraries as the server's, a
 * small heap, and nothing of its environment but what native libraries and the C library read.
 * Thread-safe.
 *
 * @param mainClass with a main method that calls {@link ModelProcess#run}
 */
public record ProcessLauncher(String mainClass) {
  private static final Set<String> VARIABLES =
      Set.of("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD");

  /** Of which families of variables native libraries read theirs. */
  private static final List<String> FAMILIES =
      List.of(
          "TF_", "ORT_", "OMP_", "KMP_", "MKL_", "ONEDNN_", "DNNL_", "CUDA_", "MALLOC_", "GLIBC_");

  Process start() throws IOException {
    var builder = new ProcessBuilder(command());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> !mayPass(name));
    return builder.start();
  }

  private static boolean mayPass(String variable) {
    return VARIABLES.contains(variable) || FAMILIES.stream().anyMatch(variable::startsWith);
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-Xms8m",
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:TrimNativeHeapInterval=60000",
            // Neither of these may leave a file: a crash is a line of the server's log.
            "-XX:-UsePerfData",
            "-XX:ErrorFile=/dev/null",
            "-XX:-CreateCoredumpOnCrash"));
    addProperty(command, NativeLibrary.DIRECTORY_PROPERTY);
    addProperty(command, "java.io.tmpdir");
    command.add("--class-path");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass);
    command.add(Long.toString(ProcessHandle.current().pid()));
    return command;
  }

  private static void addProperty(List<String> command, String name) {
    String value = System.getProperty(name);
    if (value != null) {
      command.add("-D" + name + "=" + value);
    }
  }
}
