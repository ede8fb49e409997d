package dev.sluice.telemetry.span;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import io.opentelemetry.api.trace.SpanContext;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Headers of W3C Trace Context and of B3, {@code name: value} in each line. */
final class ParentContextFuzz implements FuzzTarget {
  private static final int LONGEST_STATE = 512;

  @Override
  public void accept(byte[] input) {
    Map<String, String> headers = new HashMap<>();
    for (String line : new InputBytes(input).text().split("\n", -1)) {
      String[] parts = line.split(": ", 2);
      if (parts.length == 2) {
        headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
      }
    }
    SpanContext read = ParentContext.read(name -> headers.get(name.toString())).span();
    if (read.isValid() && !read.isRemote()) {
      throw new AssertionError(read + " is no span of the caller");
    }
    int state = read.getTraceState().asMap().toString().length();
    if (state > 2 * LONGEST_STATE) {
      throw new AssertionError("a state of " + state + " characters");
    }
  }
}
