package dev.sluice.runtime.isolation;

import java.util.Map;

/** The exit of a process, in words. */
final class ProcessExit {
  /** A process that a signal ended has this and the signal's number as its exit code. */
  private static final int SIGNALLED = 128;

  private static final int OUT_OF_HEAP = 3;

  private static final Map<Integer, String> SIGNALS =
      Map.of(
          4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15,
          "SIGTERM");

  private ProcessExit() {}

  /** Such as "signal 9 (SIGKILL)". */
  static String text(int code) {
    if (code > SIGNALLED) {
      int signal = code - SIGNALLED;
      String name = SIGNALS.get(signal);
      return "signal " + signal + (name == null ? "" : " (" + name + ")");
    }
    return code == OUT_OF_HEAP ? "exit code 3, no Java heap" : "exit code " + code;
  }
}
