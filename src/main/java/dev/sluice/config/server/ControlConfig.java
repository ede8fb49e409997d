package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Model control mode: folders or callers decide which models are served.
 *
 * @param mode who decides which models are loaded. {@code poll}: the folders, polled; {@code none}:
 *     the folders, read once; {@code explicit}: callers, by name
 * @param load with {@code control: explicit}, models that are loaded at the start; {@code "*"}: all
 * @param strictReadiness whether the server is ready only when every model is; one that is added to
 *     a folder afterwards does not count until it has loaded. {@code false}: ready as soon as the
 *     folders have been read
 */
public record ControlConfig(Mode mode, Set<String> load, boolean strictReadiness) {
  /** The side that decides: folders or callers. */
  public enum Mode {
    /** All models, looked at once. */
    NONE,
    /** All models, looked at time after time. */
    POLL,
    /** Models are loaded and unloaded by name, by callers. */
    EXPLICIT
  }

  /** Stands for every model there is. */
  public static final String ALL = "*";

  public static final ControlConfig DEFAULT = new ControlConfig(Mode.POLL, Set.of(), true);

  public ControlConfig {
    load = Set.copyOf(load);
  }

  /** Returns whether callers decide. */
  public boolean explicit() {
    return mode == Mode.EXPLICIT;
  }

  static ControlConfig read(Section models) {
    Mode mode = models.choice("control", DEFAULT.mode);
    List<String> load = models.list("load", List.of(), Setting::text);
    if (mode != Mode.EXPLICIT && !load.isEmpty()) {
      throw models.error("load", "names models, which needs models.control: explicit");
    }
    return new ControlConfig(
        mode, new LinkedHashSet<>(load), models.flag("strict_readiness", DEFAULT.strictReadiness));
  }
}
