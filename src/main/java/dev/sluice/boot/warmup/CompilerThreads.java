package dev.sluice.boot.warmup;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.runtime.NativeFunction;
import dev.sluice.runtime.NativeSignature;
import dev.sluice.runtime.NativeType;
import java.io.IOException;
import java.lang.foreign.Linker;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The threads of the Java VM's compilers, which Linux shows by name. Elsewhere there are none. Any
 * thread.
 */
public final class CompilerThreads {
  private static final Path THREADS = Path.of("/proc/self/task");

  /**
   * Added to the nice value of the process. Where there are no cores for all, a compiler gets a
   * third of the time that a thread which answers requests gets: enough for what becomes hot to be
   * compiled soon.
   */
  private static final int NICENESS = 5;

  /** The kernel's {@code PRIO_PROCESS}, which on Linux chooses a thread. */
  private static final int THREAD = 0;

  /** The thread that calls. */
  private static final int SELF = 0;

  private CompilerThreads() {}

  /**
   * Has the scheduler prefer other threads. Without that, compilers of a busy server, which find
   * something to do for minutes, take turns with event loops on equal terms, and requests wait for
   * them. Compilers that the Java VM starts later do as the one that starts them. Idempotent.
   */
  public static void giveWay() {
    long niceness = Priority.GET.call(THREAD, SELF) + NICENESS;
    for (Path thread : all()) {
      long id = Long.parseLong(String.valueOf(thread.getFileName()));
      // It fails for one that has ended meanwhile.
      Priority.SET.call(THREAD, id, niceness);
    }
  }

  /** Returns the folders of the threads. */
  static List<Path> all() {
    List<Path> compilers = new ArrayList<>();
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
      for (Path thread : threads) {
        if (read(thread.resolve("comm")).toLowerCase(Locale.ROOT).contains("compiler")) {
          compilers.add(thread);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return List.of(); // Nothing is known of them.
    }
    return compilers;
  }

  /** Returns what a file of a thread has; nothing if the thread has ended. */
  static String read(Path file) {
    try {
      return Files.readString(file, ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  /** The C library's calls, which are bound when the first is made. */
  private static final class Priority {
    static final NativeFunction GET =
        bind("getpriority", NativeType.INT32, NativeType.INT32, NativeType.INT32);
    static final NativeFunction SET =
        bind("setpriority", NativeType.INT32, NativeType.INT32, NativeType.INT32, NativeType.INT32);

    private static NativeFunction bind(String name, NativeType result, NativeType... parameters) {
      return NativeFunction.at(
          Linker.nativeLinker().defaultLookup().findOrThrow(name),
          NativeSignature.of(result, parameters));
    }
  }
}
