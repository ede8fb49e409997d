package dev.sluice.boot.log;

import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs lines that native code, or Java code past the log, has written to the standard error, each
 * by a logger that names where it comes from. For one thread.
 */
final class NativeStderrLog implements Consumer<String> {
  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

  /** A line of TensorFlow or its library Abseil: the time, the level, the file. */
  private static final Pattern TENSORFLOW =
      Pattern.compile(
          "^(?:\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d+: ([IWEF]) |([IWEF])\\d{4}"
              + " |\\[libprotobuf ([A-Z])|WARNING: .* absl::)");

  private static final Pattern ONNX_RUNTIME = Pattern.compile("\\[([VIWEF]):onnxruntime:");
  private static final Pattern JVM = Pattern.compile("VM warning: |^\\[[^]]+]\\[(\\w+) *]\\[");

  @Override
  public void accept(String line) {
    String text = COLOUR.matcher(line).replaceAll("").strip();
    if (!logged("native.tensorflow", TENSORFLOW.matcher(text), text)
        && !logged("native.onnxruntime", ONNX_RUNTIME.matcher(text), text)
        && !logged("native.jvm", JVM.matcher(text), text)) {
      log("native", Level.WARN, text);
    }
  }

  private static boolean logged(String logger, Matcher pattern, String text) {
    boolean found = pattern.find();
    if (found) {
      log(logger, level(pattern), text);
    }
    return found;
  }

  private static Level level(Matcher found) {
    for (int i = 1; i <= found.groupCount(); i++) {
      String level = found.group(i);
      if (level != null) {
        return switch (level.charAt(0)) {
          case 'E', 'F', 'e' -> Level.ERROR;
          case 'I', 'i' -> Level.INFO;
          case 'V', 'd', 't' -> Level.DEBUG;
          default -> Level.WARN;
        };
      }
    }
    return Level.WARN;
  }

  private static void log(String logger, Level level, String text) {
    LoggerFactory.getLogger(logger).atLevel(level).log(text);
  }
}
