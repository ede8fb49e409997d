package dev.sluice.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PathCacheTest {
  private final List<String> readByGrammar = new ArrayList<>();

  private final PathCache<Integer> paths =
      new PathCache<>(path -> {
        readByGrammar.add(path);
        return Integer.valueOf(path.substring(1));
      });

  @Test
  void aPathIsReadOnce() {
    assertThat(paths.read("/1")).isEqualTo(1);
    assertThat(paths.read("/1")).isEqualTo(1);
    assertThat(readByGrammar).containsExactly("/1");
  }

  @Test
  void pathsThatShareAPlaceKeepTheirMeanings() {
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 1_000; i++) {
        assertThat(paths.read("/" + i)).isEqualTo(i);
      }
    }
  }

  @Test
  void whatIsWrongIsSaidEachTime() {
    for (int round = 0; round < 2; round++) {
      assertThatThrownBy(() -> paths.read("/x")).isInstanceOf(NumberFormatException.class);
    }
    assertThat(readByGrammar).hasSize(2);
  }

  @Test
  void longPathsAreNotKept() {
    String path = "/" + "0".repeat(256);
    assertThat(paths.read(path)).isZero();
    assertThat(paths.read(path)).isZero();
    assertThat(readByGrammar).hasSize(2);
  }
}
