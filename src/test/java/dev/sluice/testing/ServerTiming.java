package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a server has reported of the stages of a call.
 *
 * @param times milliseconds, by the names of the stages, {@code total} among them
 */
public record ServerTiming(Map<String, Double> times) {
  /** Reads the value of the header or trailer, which has to be there. */
  public static ServerTiming of(@Nullable String header) {
    Map<String, Double> times = new LinkedHashMap<>();
    for (String entry : Objects.requireNonNull(header, "Server-Timing").split(", ", -1)) {
      String[] parts = entry.split(";dur=", -1);
      times.put(parts[0], Double.valueOf(parts[1]));
    }
    return new ServerTiming(times);
  }

  /** The names of what it tells. */
  public Set<String> stages() {
    return times.keySet();
  }

  /** Returns the time of a stage that there is. */
  public double time(String stage) {
    return Objects.requireNonNull(times.get(stage), stage);
  }

  /** Requires that the stages add up to the whole. */
  public void assertAddsUp() {
    double total = time("total");
    double sum = times.values().stream().mapToDouble(Double::doubleValue).sum() - total;
    assertThat(sum).isCloseTo(total, within(0.0005));
    assertThat(times.values()).allMatch(time -> time >= 0);
  }
}
