package dev.sluice.boot.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeduplicatedWarningsTest {
  private final List<String> logged = new ArrayList<>();
  private final DeduplicatedWarnings warnings = new DeduplicatedWarnings(logged::add);

  @Test
  void theSameWarningIsLoggedOnce() {
    warnings.accept("a: has no meaning here: x");
    warnings.accept("b: has no meaning here: x");
    warnings.accept("a: has no meaning here: x");
    assertThat(logged).containsExactly("a: has no meaning here: x", "b: has no meaning here: x");
  }

  @Test
  void notEveryTextIsRememberedForEver() {
    for (int i = 0; i <= DeduplicatedWarnings.MOST; i++) {
      warnings.accept("w" + i);
    }
    logged.clear();
    warnings.accept("w" + DeduplicatedWarnings.MOST);
    assertThat(logged).isEmpty();
    warnings.accept("w0");
    assertThat(logged).containsExactly("w0");
  }
}
