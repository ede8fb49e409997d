package dev.sluice.runtime;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The model runtimes' shared libraries: where they lie and how they are loaded. A loaded library
 * stays loaded. Any thread.
 */
public final class NativeLibrary {
  /** The system property that names the folder in which each runtime has a folder. */
  public static final String DIRECTORY_PROPERTY = "sluice.native.dir";

  /** The folders from which something was loaded. */
  private static final Set<String> LOADED = ConcurrentHashMap.newKeySet();

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle SETENV =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("setenv"),
          FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));

  private NativeLibrary() {}

  /**
   * Loads a library, or finds it loaded.
   *
   * @param file below the folder that {@link #DIRECTORY_PROPERTY} names
   * @throws InferenceException with FAILED_PRECONDITION if it is missing or cannot be loaded
   */
  public static SymbolLookup load(String file) {
    Path path = directory(System.getProperty(DIRECTORY_PROPERTY), file).resolve(file);
    if (!Files.isRegularFile(path)) {
      throw missing(
          path.toAbsolutePath()
              + " is not there; the system property "
              + DIRECTORY_PROPERTY
              + " names the folder that holds "
              + file,
          null);
    }
    try {
      SymbolLookup library = SymbolLookup.libraryLookup(path.toAbsolutePath(), Arena.global());
      LOADED.add(String.valueOf(Path.of(file).getName(0)));
      return library;
    } catch (IllegalArgumentException e) {
      throw missing(path.toAbsolutePath() + " cannot be loaded: " + reason(path, e), e);
    }
  }

  /** Returns what the system's loader has against a library; the lookup keeps that to itself. */
  private static String reason(Path path, IllegalArgumentException refusal) {
    try {
      System.load(path.toAbsolutePath().toString());
      return String.valueOf(refusal.getMessage());
    } catch (UnsatisfiedLinkError e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Returns whether the folder that {@link #DIRECTORY_PROPERTY} names has one of a runtime. */
  public static boolean has(String runtime) {
    String directory = System.getProperty(DIRECTORY_PROPERTY, "");
    return !directory.isEmpty() && Files.isDirectory(Path.of(directory, runtime));
  }

  /** Returns whether this process has loaded a runtime's library. */
  public static boolean isLoaded(String runtime) {
    return LOADED.contains(runtime);
  }

  /** Sets a variable that a library reads when it is loaded: the JDK can only read them. */
  public static void setEnvironment(String name, String value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment nativeName = arena.allocateFrom(name);
      MemorySegment nativeValue = arena.allocateFrom(value);
      int result = (int) SETENV.invokeExact(nativeName, nativeValue, 1);
      if (result != 0) {
        throw new IllegalStateException("cannot set " + name + " in the environment");
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("setenv cannot throw", e);
    }
  }

  private static Path directory(@Nullable String property, String file) {
    if (property == null || property.isEmpty()) {
      throw missing(
          "the system property "
              + DIRECTORY_PROPERTY
              + " is not set; it names the folder that holds "
              + file,
          null);
    }
    return Path.of(property);
  }

  private static InferenceException missing(String text, @Nullable Throwable cause) {
    return new InferenceException(ErrorCode.FAILED_PRECONDITION, text, cause);
  }
}
