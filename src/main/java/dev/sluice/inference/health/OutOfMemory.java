package dev.sluice.inference.health;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Ends the process when memory has run out, of whatever kind, with one line and exit code {@value
 * #EXIT_CODE}: a server that goes on without memory answers some requests and never the others.
 *
 * <p>The JVM does the same for the heap with {@code -XX:+ExitOnOutOfMemoryError}. It does not see
 * the errors that Java code throws itself: those of direct memory, of the JDK and of Netty, and the
 * one for a thread that cannot be started.
 */
public final class OutOfMemory {
  /** The code with which the JVM itself ends for want of heap. */
  public static final int EXIT_CODE = 3;

  /** Causes that are looked at; a chain may be a ring. */
  private static final int DEEPEST = 16;

  private static volatile LastLine lastLine = OutOfMemory::toStandardError;

  private OutOfMemory() {}

  /** Ends the process if a failure is an {@link OutOfMemoryError}, or caused by one. */
  public static void endProcessIf(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < DEEPEST && cause != null; i++) {
      if (cause instanceof OutOfMemoryError) {
        end(cause);
      }
      cause = cause.getCause();
    }
  }

  /** Not through the log, whose queue may need memory too, and without the hooks of an exit. */
  private static void end(Throwable cause) {
    try {
      lastLine.write(
          "sluice: out of memory, the process ends: "
              + String.valueOf(cause.getMessage()).replaceAll("\\R", " "));
    } catch (IOException | OutOfMemoryError _) {
      // The exit code says it, too.
    } finally {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }

  private static void toStandardError(String line) throws IOException {
    try (var err = new FileOutputStream(FileDescriptor.err)) {
      err.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Writes a line before the process ends, at once. */
  @FunctionalInterface
  public interface LastLine {
    /** Writes and flushes the line; the process halts when this returns. */
    void write(String line) throws IOException;
  }

  /** Has the line written in another way than to the standard error. Any thread. */
  public static void writeLastLineBy(LastLine writer) {
    lastLine = writer;
  }
}
