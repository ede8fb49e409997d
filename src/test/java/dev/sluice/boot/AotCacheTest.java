package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AotCacheTest {
  private static final List<String> FLAGS = List.of("-Xmx1g", "-XX:AOTCache=/lib/sluice.aot");

  @Test
  void aCacheThatTheJavaVmDoesNotShareIsUnused() {
    assertThat(AotCache.unused(FLAGS, "mixed mode")).contains("/lib/sluice.aot");
  }

  @Test
  void aCacheInUseIsNotNamed() {
    assertThat(AotCache.unused(FLAGS, "mixed mode, sharing")).isEmpty();
  }

  @Test
  void aStartWithoutACacheMissesNone() {
    assertThat(AotCache.unused(List.of("-Xmx1g", "-Xshare:off"), "mixed mode")).isEmpty();
  }
}
