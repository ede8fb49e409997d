package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The ONNX Runtime environment that all sessions of the process share. It lives as long as the
 * process.
 */
final class OrtEnvironment {
  /** Nothing below fatal: callers provoke errors, and would fill the log. They get the text. */
  static final int LOG_LEVEL = 4;

  static final long HANDLE;

  /** The allocator of strings and names. */
  static final long ALLOCATOR;

  /** Says of wrapped memory that it is the process's own. */
  static final long CPU_MEMORY;

  private static final int DEVICE_ALLOCATOR = 0;
  private static final int DEFAULT_MEMORY = 0;

  static {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      OrtApi.createEnv(LOG_LEVEL, arena.allocateFrom("sluice").address(), out.address());
      HANDLE = out.get(JAVA_LONG, 0);
      OrtApi.disableTelemetryEvents(HANDLE);
      OrtApi.getAllocatorWithDefaultOptions(out.address());
      ALLOCATOR = out.get(JAVA_LONG, 0);
      OrtApi.createCpuMemoryInfo(DEVICE_ALLOCATOR, DEFAULT_MEMORY, out.address());
      CPU_MEMORY = out.get(JAVA_LONG, 0);
    }
  }

  private OrtEnvironment() {}
}
