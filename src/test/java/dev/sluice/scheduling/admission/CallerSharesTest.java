package dev.sluice.scheduling.admission;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.access.Caller;
import dev.sluice.testing.NamedCallers;
import org.junit.jupiter.api.Test;

class CallerSharesTest {
  private final NamedCallers callers = new NamedCallers(0.5);
  private final CallerShares shares = new CallerShares(5, "streams", "stream.max_streams");

  @Test
  void anIdentityHoldsNoMoreThanItsShareAndOthersHoldTheirs() {
    Caller greedy = callers.of("key:greedy");
    shares.take(greedy, "m");
    shares.take(greedy, "m");
    assertThatThrownBy(() -> shares.take(greedy, "m"))
        .hasMessage(
            "'key:greedy' has 2 streams of model 'm', the share of one identity (settings"
                + " security.share, stream.max_streams)");
    shares.take(callers.of("key:other"), "m");
    shares.take(callers.of(""), "m");
    shares.release(greedy);
    assertThatCode(() -> shares.take(greedy, "m")).doesNotThrowAnyException();
  }

  @Test
  void anIdentityHasOnePlaceHoweverFewThereAre() {
    var one = new CallerShares(1, "streams", "stream.max_streams");
    one.take(callers.of("key:a"), "m");
    assertThatThrownBy(() -> one.take(callers.of("key:a"), "m")).hasMessageContaining("'key:a'");
  }

  @Test
  void whereCallersAreNotDistinguishedNothingIsCounted() {
    for (int i = 0; i < 100; i++) {
      shares.take(Caller.SERVER, "m");
    }
    assertThatCode(() -> shares.take(Caller.SERVER, "m")).doesNotThrowAnyException();
  }
}
