package dev.sluice.boot.log;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/*
 * How lines of native code become log records
 *
 * TensorFlow, ONNX Runtime, the C library and the JVM write to file descriptor 2, whatever Java does. So descriptor 2 is made
 * the end of a pipe, and what it was before gets another number, to which log records go. A thread reads the pipe. It never
 * waits for readers of the log, so that the pipe does not fill up while native code wants to write.
 *
 * Descriptor 1 is left alone: there the JVM says why it crashes or exits, when no thread reads a pipe any more.
 */

/**
 * The standard error of the process, taken away from native code: what that writes is read line by
 * line. Writing is for any thread.
 */
final class StandardError extends OutputStream {
  private static final int FD = 2;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int DUPLICATE_CLOSE_ON_EXEC = 1030;
  private static final int SET_PIPE_SIZE = 1031;
  private static final int PIPE_SIZE = 1 << 20;
  private static final int INTERRUPTED = 4;
  private static final int TRY_AGAIN = 11;
  private static final int BUFFER = 8192;

  /** Bytes of a line, which is cut into several beyond. */
  private static final int LONGEST_LINE = 64 * 1024;

  private static final long RETRY_NANOS = 1_000_000;

  private final Calls calls;
  private final int real;
  private final int pipe;
  private final Thread reader;
  private final MemorySegment buffer = Arena.ofShared().allocate(BUFFER);

  private StandardError(Calls calls, int real, int pipe, Consumer<String> line) {
    this.calls = calls;
    this.real = real;
    this.pipe = pipe;
    this.reader =
        Thread.ofPlatform().daemon().name("sluice-native-lines").unstarted(() -> read(line));
  }

  /**
   * Takes the standard error.
   *
   * @param line is given each line that is written to it from now on, on a thread of its own; it
   *     waits for nothing
   * @throws IOException if this system has no such calls, or they fail; nothing is changed then
   */
  static StandardError take(Consumer<String> line) throws IOException {
    try {
      var calls = new Calls();
      int[] ends = calls.pipe();
      int real = calls.call(calls.fcntl, FD, DUPLICATE_CLOSE_ON_EXEC, FD + 1);
      int _ = (int) calls.fcntl.invokeExact(calls.errno(), ends[1], SET_PIPE_SIZE, PIPE_SIZE);
      calls.duplicate(ends[1], FD);
      // Descriptor 2 alone writes to the pipe: its end is the end of the lines.
      int _ = (int) calls.close.invokeExact(calls.errno(), ends[1]);
      var taken = new StandardError(calls, real, ends[0], line);
      taken.reader.start();
      return taken;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException("the standard error cannot be read by the log: " + e, e);
    }
  }

  private void read(Consumer<String> line) {
    var open = new ByteArrayOutputStream();
    try (var arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(BUFFER);
      for (long count = calls.read(pipe, bytes); count > 0; count = calls.read(pipe, bytes)) {
        for (long i = 0; i < count; i++) {
          byte next = bytes.get(JAVA_BYTE, i);
          if (next == '\n' || open.size() >= LONGEST_LINE) {
            give(open, line);
          }
          if (next != '\n') {
            open.write(next);
          }
        }
      }
    } finally {
      restore();
      give(open, line);
    }
  }

  private static void give(ByteArrayOutputStream open, Consumer<String> line) {
    String text = open.toString(StandardCharsets.UTF_8);
    open.reset();
    if (!text.isBlank()) {
      line.accept(text);
    }
  }

  /** Gives the standard error back to native code, and waits for the lines that it has written. */
  void giveBack(Duration longest) {
    restore();
    try {
      reader.join(longest);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void restore() {
    try {
      calls.duplicate(real, FD);
    } catch (IOException e) {
      // Lines of native code are lost then, and nothing else.
    }
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int from, int length) throws IOException {
    int done = 0;
    while (done < length) {
      int part = Math.min(BUFFER, length - done);
      MemorySegment.copy(bytes, from + done, buffer, JAVA_BYTE, 0, part);
      done += (int) calls.write(real, buffer, part);
    }
  }

  /** Calls of the C library. */
  private static final class Calls {
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
        STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final Linker LINKER = Linker.nativeLinker();

    private final MethodHandle pipe2 = handle("pipe2", 2, JAVA_INT, ADDRESS, JAVA_INT);
    private final MethodHandle dup2 = handle("dup2", 2, JAVA_INT, JAVA_INT, JAVA_INT);
    private final MethodHandle fcntl = handle("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private final MethodHandle close = handle("close", 1, JAVA_INT, JAVA_INT);
    private final MethodHandle read = handle("read", 3, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private final MethodHandle write = handle("write", 3, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private final ThreadLocal<MemorySegment> state =
        ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

    private static MethodHandle handle(
        String name, int fixed, ValueLayout result, ValueLayout... arguments) {
      var form = FunctionDescriptor.of(result, arguments);
      Linker.Option errno = Linker.Option.captureCallState("errno");
      MemorySegment function = LINKER.defaultLookup().findOrThrow(name);
      return name.equals("fcntl")
          ? LINKER.downcallHandle(function, form, errno, Linker.Option.firstVariadicArg(fixed))
          : LINKER.downcallHandle(function, form, errno);
    }

    MemorySegment errno() {
      return state.get();
    }

    private int error() {
      return (int) ERRNO.get(state.get(), 0L);
    }

    int[] pipe() throws IOException {
      try (var arena = Arena.ofConfined()) {
        MemorySegment ends = arena.allocate(JAVA_INT, 2);
        int result = (int) pipe2.invokeExact(errno(), ends, CLOSE_ON_EXEC);
        require(result, "pipe2");
        return new int[] {ends.getAtIndex(JAVA_INT, 0), ends.getAtIndex(JAVA_INT, 1)};
      } catch (Throwable e) {
        throw failure(e);
      }
    }

    int call(MethodHandle function, int first, int second, int third) throws IOException {
      try {
        int result = (int) function.invokeExact(errno(), first, second, third);
        require(result, "fcntl");
        return result;
      } catch (Throwable e) {
        throw failure(e);
      }
    }

    void duplicate(int from, int to) throws IOException {
      try {
        int result = (int) dup2.invokeExact(errno(), from, to);
        require(result, "dup2");
      } catch (Throwable e) {
        throw failure(e);
      }
    }

    /** Reads what there is; 0 or less at the end. */
    long read(int from, MemorySegment into) {
      try {
        long count;
        do {
          count = (long) read.invokeExact(errno(), from, into, into.byteSize());
        } while (count < 0 && error() == INTERRUPTED);
        return count;
      } catch (Throwable e) {
        return -1;
      }
    }

    long write(int to, MemorySegment bytes, long length) throws IOException {
      try {
        while (true) {
          long count = (long) write.invokeExact(errno(), to, bytes, length);
          if (count >= 0) {
            // The rest of a short write is written by the next call, from the caller's bytes.
            return count;
          }
          if (error() == TRY_AGAIN) {
            LockSupport.parkNanos(RETRY_NANOS);
          } else if (error() != INTERRUPTED) {
            throw new IOException("write failed with error " + error());
          }
        }
      } catch (Throwable e) {
        throw failure(e);
      }
    }

    private void require(int result, String name) throws IOException {
      if (result < 0) {
        throw new IOException(name + " failed with error " + error());
      }
    }

    private static IOException failure(Throwable e) {
      return e instanceof IOException io ? io : new IOException(e);
    }
  }
}
