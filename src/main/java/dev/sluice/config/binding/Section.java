package dev.sluice.config.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * One table of settings while it is read. Each method takes a key, and what to use if the key is
 * absent or has no value.
 */
public final class Section {
  /** What leaves a setting to the server. */
  private static final String AUTO = "auto";

  private static final String OR_AUTO = ", or " + AUTO;

  private final SettingsTree tree;
  private final String path;
  private final ObjectNode node;
  private final Set<String> asked = new LinkedHashSet<>();

  public Section(SettingsTree tree, String path, ObjectNode node) {
    this.tree = tree;
    this.path = path;
    this.node = node;
  }

  /** Runs the reader, then refuses the keys it did not ask for. */
  public <T> T readAll(Function<Section, T> reader) {
    T read = reader.apply(this);
    tree.bound(path, read);
    for (var field : node.properties()) {
      if (!asked.contains(field.getKey())) {
        throw error(field.getKey(), "is not a setting; " + hint(field.getKey()));
      }
    }
    return read;
  }

  /** Reads a table inside this one; an absent table is an empty one. */
  public <T> T section(String key, Function<Section, T> reader) {
    Section inner =
        value(key)
            .map(Setting::section)
            .orElseGet(() -> new Section(tree, join(path, key), node.objectNode()));
    return inner.readAll(reader);
  }

  /** Returns the value of any kind, if there is one. */
  public Optional<Setting> value(String key) {
    asked.add(key);
    tree.key(join(path, key));
    JsonNode value = node.get(key);
    return value == null || value.isNull()
        ? Optional.empty()
        : Optional.of(new Setting(tree, join(path, key), value));
  }

  /** Returns the value of a setting that a single text can set, as environment variables do. */
  public Optional<Setting> single(String key) {
    return single(key, "a text", "");
  }

  /**
   * Returns the value of a setting that a single text can set.
   *
   * @param wanted what it has to be, as complaints and the reference of settings say it
   * @param otherwise what holds without it, for that reference
   */
  public Optional<Setting> single(String key, String wanted, Object otherwise) {
    tree.asked(join(path, key), wanted, otherwise);
    return value(key);
  }

  /** Empty if the text is. */
  public Optional<String> text(String key) {
    return single(key).map(Setting::text).filter(text -> !text.isEmpty());
  }

  /** Returns the text; an empty one counts as absent. */
  public String text(String key, String otherwise) {
    return single(key, "a text", otherwise)
        .map(Setting::text)
        .filter(text -> !text.isEmpty())
        .orElse(otherwise);
  }

  /** Returns whether a key is set to true; what is given otherwise if it is not set. */
  public boolean flag(String key, boolean otherwise) {
    return single(key, Setting.FLAG_WANTED, otherwise).map(Setting::flag).orElse(otherwise);
  }

  /** Returns a whole number within bounds; what is given otherwise if the key is not set. */
  public int number(String key, int otherwise, int lowest, int highest) {
    return single(key, Setting.numberWanted(lowest, highest), otherwise)
        .map(value -> value.number(lowest, highest))
        .orElse(otherwise);
  }

  /** Returns a whole number within bounds; empty for {@code auto}. */
  public Optional<Integer> numberOrAuto(
      String key, Optional<Integer> otherwise, int lowest, int highest) {
    String wanted = Setting.numberWanted(lowest, highest) + OR_AUTO;
    return orAuto(key, wanted, otherwise, value -> value.number(lowest, highest, wanted));
  }

  /** Returns a number within bounds; what is given otherwise if the key is not set. */
  public double decimal(String key, double otherwise, double lowest, double highest) {
    return single(key, Setting.decimalWanted(lowest, highest), otherwise)
        .map(value -> value.decimal(lowest, highest))
        .orElse(otherwise);
  }

  /** Returns a time with its unit; what is given otherwise if the key is not set. */
  public Duration duration(String key, Duration otherwise) {
    return single(key, Units.DURATION_WANTED, otherwise).map(Setting::duration).orElse(otherwise);
  }

  /** Returns a time with its unit; empty for {@code auto}. */
  public Optional<Duration> durationOrAuto(String key, Optional<Duration> otherwise) {
    String wanted = Units.DURATION_WANTED + OR_AUTO;
    return orAuto(key, wanted, otherwise, value -> value.duration(wanted));
  }

  private <T> Optional<T> orAuto(
      String key, String wanted, Optional<T> otherwise, Function<Setting, T> reader) {
    Object shown = otherwise.isEmpty() ? AUTO : otherwise.get();
    return single(key, wanted, shown)
        .map(value ->
            value.text().equals(AUTO) ? Optional.<T>empty() : Optional.of(reader.apply(value)))
        .orElse(otherwise);
  }

  /** Returns a number of bytes. */
  public long size(String key, long otherwise, long lowest, long highest) {
    return single(key, Setting.sizeWanted(lowest, highest), otherwise)
        .map(value -> value.size(lowest, highest))
        .orElse(otherwise);
  }

  /** Returns one of an enum's constants, in lower case. */
  public <E extends Enum<E>> E choice(String key, E otherwise) {
    Class<E> type = otherwise.getDeclaringClass();
    return single(key, Setting.constantWanted(type), otherwise)
        .map(value -> value.constant(type))
        .orElse(otherwise);
  }

  /** Returns a list, each element read alike. */
  public <T> List<T> list(String key, List<T> otherwise, Function<Setting, T> element) {
    return single(key, "a list", otherwise)
        .map(value -> value.elements().stream().map(element).toList())
        .orElse(otherwise);
  }

  /** Full names of the keys that have a value and were never read. */
  public List<String> unread() {
    return node.properties().stream()
        .filter(field -> !field.getValue().isNull() && !asked.contains(field.getKey()))
        .map(field -> join(path, field.getKey()))
        .toList();
  }

  /** Returns a complaint about the table itself. */
  public ConfigException error(String complaint) {
    return tree.error(path, complaint);
  }

  /** Makes the error of a key, which names it by its full name. */
  public ConfigException error(String key, String complaint) {
    return tree.error(join(path, key), complaint);
  }

  /**
   * Returns the complaint about a key that has to be there; about a key that may have been meant,
   * if there is one that is no setting.
   *
   * @param wanted what its value has to be
   */
  public ConfigException missing(String key, String wanted) {
    List<String> unknown = unread();
    return NearestName.to(key, unknown.stream().map(Section::last).toList())
        .map(near -> error(near, "is not a setting; did you mean " + key + "?"))
        .orElseGet(() -> error(key, "is missing; wanted " + wanted));
  }

  private static String last(String path) {
    return path.substring(path.lastIndexOf('.') + 1);
  }

  /** Returns the full name of a key in a table. */
  public static String join(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private String hint(String key) {
    return NearestName.to(key, asked)
        .map(near -> "did you mean " + near + "?")
        .orElseGet(() -> "the settings here are " + String.join(", ", asked));
  }
}
