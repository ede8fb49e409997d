package dev.sluice.serving.worker;

import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import java.util.List;
import java.util.function.Supplier;

/**
 * The sessions of a version, and what they need to run. The one that puts them to work owns the
 * sessions and the permits.
 *
 * @param sessions one at least
 * @param permits of the sessions, by their order
 * @param opener opens another session and warms it up, beside one whose run does not end; blocks
 */
public record ModelInstances(
    List<ModelSession> sessions, List<InstancePermit> permits, Supplier<ModelSession> opener) {
  /** Returns the session that speaks for all of them: they have the same metadata. */
  public ModelSession first() {
    return sessions.getFirst();
  }

  /** Returns one of them alone. */
  public ModelInstances only(int index) {
    return new ModelInstances(List.of(sessions.get(index)), List.of(permits.get(index)), opener);
  }

  /** Returns whether none waits for resources that are counted. */
  public boolean areUnlimited() {
    return permits.stream().allMatch(InstancePermit.UNLIMITED::equals);
  }
}
