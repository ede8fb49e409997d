package dev.sluice.protocol.grps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.junit.jupiter.api.Test;

class PredictConcurrencyLimitTest {
  private final PredictConcurrencyLimit concurrencyLimit = new PredictConcurrencyLimit(1);

  private Future<String> enter() {
    return concurrencyLimit.enter(() -> Future.succeededFuture("in"));
  }

  @Test
  void oneTooManyIsRejected() {
    Promise<String> first = Promise.promise();
    concurrencyLimit.enter(first::future);
    InferenceException refused = catchThrowableOfType(InferenceException.class, this::enter);
    assertThat(refused.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
    assertThat(refused).hasMessageContaining("grps.max_connections");
    first.complete("out");
    assertThat(enter().result()).isEqualTo("in");
  }

  @Test
  void failingReleasesThePermit() {
    concurrencyLimit.enter(() -> Future.failedFuture("later"));
    assertThatThrownBy(() ->
            concurrencyLimit.enter(() -> {
              throw InferenceException.invalid("at once");
            }))
        .hasMessage("at once");
    assertThat(enter().result()).isEqualTo("in");
  }

  @Test
  void withoutALimitAllMayEnter() {
    var open = new PredictConcurrencyLimit(0);
    for (int i = 0; i < 10; i++) {
      assertThat(open.enter(() -> Promise.<String>promise().future()).isComplete()).isFalse();
    }
  }
}
