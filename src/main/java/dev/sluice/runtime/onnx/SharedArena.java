package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.runtime.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/*
 * Why one arena for all
 *
 * What a run takes is known to the runtime alone, in the moment in which it asks for it. The kernel
 * promises whatever is asked for and ends the process when it is written to. So the limit has to be
 * where the runtime asks: an arena of its own can be given one, and it is a limit of the process only
 * if all sessions share it.
 *
 * Own allocators. The runtime also takes an allocator of the caller's. One that returns nothing ends the
 *             process: operators write to what they were given without a look.
 */

/**
 * The memory arena of all sessions whose runs may take a number of bytes together. What does not
 * fit fails in the run that asks for it. The runtime keeps weights elsewhere. Any thread.
 */
final class SharedArena {
  private static final int ARENA_ALLOCATOR = 1;
  private static final int DEFAULT_MEMORY = 0;

  /** A model without inputs whose one output is a constant. */
  private static final byte[] SMALLEST_MODEL =
      HexFormat.of()
          .parseHex(
              "08083a23120167"
                  + "2a0d080110014201634a0400000000"
                  + "620f0a0163120a0a08080112040a020801"
                  + "4202100d");

  @GuardedBy("SharedArena.class")
  private static long registered;

  private SharedArena() {}

  /** Has sessions that are opened from now on share an arena of so many bytes. */
  static synchronized void require(long limit) {
    if (limit == registered) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      long out = arena.allocate(JAVA_LONG).address();
      OrtApi.createCpuMemoryInfo(ARENA_ALLOCATOR, DEFAULT_MEMORY, out);
      // Kept for good, as the arena is: there is one in a process, but in tests.
      long info = NativeMemory.getLong(out);
      if (registered != 0) {
        OrtApi.unregisterAllocator(OrtEnvironment.HANDLE, info);
        registered = 0;
      }
      MemorySegment key = arena.allocate(JAVA_LONG);
      key.set(JAVA_LONG, 0, arena.allocateFrom("max_mem").address());
      MemorySegment value = arena.allocateFrom(JAVA_LONG, limit);
      OrtApi.createArenaCfg(key.address(), value.address(), 1, out);
      long config = NativeMemory.getLong(out);
      try {
        OrtApi.createAndRegisterAllocator(OrtEnvironment.HANDLE, info, config);
      } finally {
        OrtApi.releaseArenaCfg(config);
      }
      registered = limit;
    }
  }

  /** Gives what no session uses back to the system. */
  static synchronized void shrink() {
    if (registered == 0) {
      return;
    }
    try (Arena arena = Arena.ofConfined();
        RunOptions shrinking = RunOptions.shrinkingAfterwards()) {
      long out = arena.allocate(JAVA_LONG).address();
      OrtApi.createSessionOptions(out);
      long options = NativeMemory.getLong(out);
      try {
        OrtApi.setSessionLogSeverityLevel(options, OrtEnvironment.LOG_LEVEL);
        OrtApi.setIntraOpNumThreads(options, 1);
        OnnxSessionOptions.shareArena(options, arena);
        MemorySegment model = arena.allocateFrom(JAVA_BYTE, SMALLEST_MODEL);
        OrtApi.createSessionFromArray(
            OrtEnvironment.HANDLE, model.address(), model.byteSize(), options, out);
        run(NativeMemory.getLong(out), shrinking, arena);
      } finally {
        OrtApi.releaseSessionOptions(options);
      }
    }
  }

  private static void run(long session, RunOptions options, Arena arena) {
    MemorySegment name = arena.allocateFrom(JAVA_LONG, arena.allocateFrom("c").address());
    MemorySegment output = arena.allocate(JAVA_LONG);
    try {
      OrtApi.run(session, options.address(), 0, 0, 0, name.address(), 1, output.address());
    } finally {
      if (output.get(JAVA_LONG, 0) != 0) {
        OrtApi.releaseValue(output.get(JAVA_LONG, 0));
      }
      OrtApi.releaseSession(session);
    }
  }
}
