package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ModelId;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LiveVersionTest {
  private final AtomicInteger returned = new AtomicInteger();
  private final FakeLoader.FakeModel model =
      new FakeLoader.FakeModel(Path.of("digits"), ModelConfig.DEFAULT);
  private final LiveVersion live =
      new LiveVersion(new ModelId("digits", 1), 1, model, _ -> returned.incrementAndGet());

  @Test
  void tellsWhatWasLoaded() {
    assertThat(live.loaded()).isSameAs(model);
    assertThat(live.metadata().platform()).isEqualTo("fake");
    assertThat(live.id()).hasToString("digits/1");
  }

  @Test
  void isNotReturnedWhileTheRepositoryHoldsIt() {
    assertThat(live.acquire()).isTrue();
    live.release();
    assertThat(returned).hasValue(0);
  }

  @Test
  void isReturnedWithItsLastLease() {
    live.acquire();
    live.release();
    live.acquire();
    live.release();
    live.release();
    assertThat(returned).hasValue(1);
  }

  @Test
  void canBeLeasedWhileALeaseIsHeld() {
    live.acquire();
    live.release();
    assertThat(live.acquire()).isTrue();
  }

  @Test
  void cannotBeLeasedAfterTheLastRelease() {
    live.release();
    assertThat(live.acquire()).isFalse();
    assertThat(returned).hasValue(1);
  }

  @Test
  void givingBackTooOftenIsABug() {
    live.release();
    assertThatThrownBy(live::release)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("digits/1");
    assertThat(returned).hasValue(1);
  }
}
