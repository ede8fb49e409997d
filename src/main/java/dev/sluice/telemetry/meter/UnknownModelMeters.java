package dev.sluice.telemetry.meter;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Meters of unknown model names with a cardinality limit: the first few have their own, since a
 * misspelt name is best found by itself, all others share one, since clients can send any number of
 * names. Any thread.
 */
public final class UnknownModelMeters {
  private static final int MOST = 20;
  private static final int LONGEST = 128;

  private final ConcurrentMap<String, ModelMeter> named = new ConcurrentHashMap<>();
  private final ModelMeter others = new ModelMeter("");

  /** Returns the meter of a model that there is not; one for all names beyond the first ones. */
  public ModelMeter of(String name) {
    ModelMeter known = named.get(name);
    if (known != null) {
      return known;
    }
    boolean belowLimit = named.size() < MOST && name.length() <= LONGEST;
    return belowLimit ? named.computeIfAbsent(name, ModelMeter::new) : others;
  }

  /** Leaves the name to a model, which continues its counts. */
  public ModelMeter leave(String name) {
    ModelMeter known = named.remove(name);
    return known != null ? known : new ModelMeter(name);
  }

  /** Returns the meter of all that have none of their own. */
  public ModelMeter others() {
    return others;
  }

  /** Returns the metrics by name, and then that of all others. */
  public List<ModelMeter> all() {
    List<ModelMeter> sorted = new ArrayList<>(named.values());
    sorted.sort(Comparator.comparing(ModelMeter::model));
    sorted.add(others);
    return sorted;
  }
}
