package dev.sluice.scheduling.admission;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Counts the places that each identity holds of a bounded number, so that none holds more than its
 * share of them: {@link Caller#share}. Where callers are not distinguished, nothing is counted. Any
 * thread.
 */
public final class CallerShares {
  private final int places;
  private final String what;
  private final String setting;
  private final ConcurrentMap<String, Integer> held = new ConcurrentHashMap<>();

  /**
   * @param places how many there are for all
   * @param what they are places for, for texts, such as {@code streams}
   * @param setting the one that says how many there are, for texts
   */
  public CallerShares(int places, String what, String setting) {
    this.places = places;
    this.what = what;
    this.setting = setting;
  }

  /**
   * Takes a place.
   *
   * @param model for the text
   * @throws InferenceException RESOURCE_EXHAUSTED if the caller has its share
   */
  public void take(Caller caller, String model) {
    if (caller.share() >= 1) {
      return;
    }
    int most = Math.max(1, (int) (places * caller.share()));
    if (held.merge(caller.identity(), 1, Integer::sum) > most) {
      release(caller);
      throw new InferenceException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "'%s' has %d %s of model '%s', the share of one identity (settings security.share, %s)"
              .formatted(caller.identity(), most, what, model, setting));
    }
  }

  /** Gives a place back. */
  public void release(Caller caller) {
    if (caller.share() < 1) {
      held.computeIfPresent(caller.identity(), (_, count) -> count == 1 ? null : count - 1);
    }
  }
}
