package dev.sluice.runtime.isolation;

import dev.sluice.runtime.NativeFunction;
import dev.sluice.runtime.NativeSignature;
import dev.sluice.runtime.NativeType;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of a model process that it applies before it opens the model. Linux only; what cannot be
 * set is logged and left.
 */
final class ProcessSetup {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessSetup.class);
  private static final Path SELF = Path.of("/proc/self");

  /** Signals that end the server, and not this process before it: see signal(7). */
  private static final int[] IGNORED = {1, 2, 15};

  private static final long IGNORE = 1;
  private static final int OUTPUT = 1;
  private static final int ERROR = 2;
  private static final int DATA_LIMIT = 2;

  /** Increment of the process's OOM score over the server's, so that the kernel ends it first. */
  private static final int MORE_OOM_SCORE = 300;

  private static final int MOST_OOM_SCORE = 1000;

  private ProcessSetup() {}

  /** Binds a function of the C library. */
  private static NativeFunction function(String name, NativeType result, NativeType... parameters) {
    return NativeFunction.at(
        Linker.nativeLinker().defaultLookup().findOrThrow(name),
        NativeSignature.of(result, parameters));
  }

  /**
   * Leaves the terminal's process group and ignores the signals that tell the server to drain: this
   * process ends when the server closes its input.
   */
  static void leaveSignalsToTheServer() {
    var _ = function("setsid", NativeType.INT32).call();
    NativeFunction handle =
        function("signal", NativeType.POINTER, NativeType.INT32, NativeType.POINTER);
    for (int signal : IGNORED) {
      var _ = handle.call(signal, IGNORE);
    }
  }

  /**
   * Takes the standard output for replies, and lets what libraries print there go to the standard
   * error.
   */
  static OutputStream takeOutput() throws IOException {
    // Opened anew, since a FileOutputStream cannot duplicate a descriptor.
    OutputStream replies = new FileOutputStream("/proc/self/fd/" + OUTPUT);
    NativeFunction duplicate =
        function("dup2", NativeType.INT32, NativeType.INT32, NativeType.INT32);
    if (duplicate.call(ERROR, OUTPUT) != OUTPUT) {
      throw new IOException("the standard output cannot be taken");
    }
    return replies;
  }

  /** Has the kernel end this process before the server when memory runs out. */
  static void offerToTheOutOfMemoryKiller() {
    Path file = SELF.resolve("oom_score_adj");
    try {
      int score = Integer.parseInt(Files.readString(file).strip());
      Files.writeString(file, Integer.toString(Math.min(MOST_OOM_SCORE, score + MORE_OOM_SCORE)));
    } catch (IOException | NumberFormatException e) {
      LOG.warn("oom_score_adj is not set: {}", e.toString());
    }
  }

  /**
   * Bounds what native code may allocate from now on, so that what does not fit fails in the run
   * that asks for it.
   *
   * @param bytes 0: any number
   */
  static void limitMemory(long bytes) {
    if (bytes == 0) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      long limit = Math.addExact(allocated(), bytes);
      MemorySegment limits = arena.allocate(ValueLayout.JAVA_LONG, 2);
      limits.setAtIndex(ValueLayout.JAVA_LONG, 0, limit);
      limits.setAtIndex(ValueLayout.JAVA_LONG, 1, limit);
      NativeFunction set =
          function("setrlimit", NativeType.INT32, NativeType.INT32, NativeType.POINTER);
      if (set.call(DATA_LIMIT, limits.address()) != 0) {
        LOG.warn("isolation_memory cannot be set to {}", bytes);
      }
    } catch (IOException | NumberFormatException e) {
      LOG.warn("isolation_memory is not set: {}", e.toString());
    }
  }

  /** Returns the number of bytes of private memory that this process can write to. */
  private static long allocated() throws IOException {
    List<String> lines = Files.readAllLines(SELF.resolve("status"));
    for (String line : lines) {
      if (line.startsWith("VmData:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    throw new IOException("no VmData in /proc/self/status");
  }
}
