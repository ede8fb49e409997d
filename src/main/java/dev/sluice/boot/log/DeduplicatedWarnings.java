package dev.sluice.boot.log;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Passes each warning on once: files are read again when they are touched, or loads their model
 * anew, and say the same again. Any thread.
 */
public final class DeduplicatedWarnings implements Consumer<String> {
  /** Texts that are remembered: more than a repository has files that give warnings. */
  static final int MOST = 4_096;

  private final Consumer<String> next;
  private final Set<String> seen =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > MOST;
                }
              }));

  public DeduplicatedWarnings(Consumer<String> next) {
    this.next = next;
  }

  @Override
  public void accept(String warning) {
    if (seen.add(warning)) {
      next.accept(warning);
    }
  }
}
