package dev.sluice.config.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.InvalidPathException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * All settings before they are bound to records: the file, and what was laid over it. Remembers
 * where each value came from, for texts, and which settings were asked for, since the readers are
 * the only list of settings there is.
 */
public final class SettingsTree {
  private final ObjectNode root;
  private final String file;
  private final Map<String, String> origins = new HashMap<>();
  private final Set<String> keys = new LinkedHashSet<>();
  private final Map<String, Asked> asked = new LinkedHashMap<>();
  private final Map<String, String> wanted = new LinkedHashMap<>();
  private final Map<String, Object> bound = new LinkedHashMap<>();

  /**
   * A setting as its reader asks for it.
   *
   * @param wanted what its value has to be
   * @param otherwise what holds without a value
   */
  public record Asked(String wanted, Object otherwise) {}

  /**
   * @param root is changed by {@link #set}
   * @param file what to call the place that most of it came from
   */
  public SettingsTree(ObjectNode root, String file) {
    this.root = root;
    this.file = file;
  }

  /** Binds everything, and refuses what the reader did not ask for. */
  public <T> T read(Function<Section, T> reader) {
    try {
      return new Section(this, "", root).readAll(reader);
    } catch (InvalidPathException e) {
      throw ConfigException.noPath(origin(""), e);
    }
  }

  /** Replaces one value. */
  public void set(SettingOverride override) {
    List<String> keys = List.of(override.path().split("\\.", -1));
    String path = "";
    ObjectNode place = root;
    for (String key : keys.subList(0, keys.size() - 1)) {
      path = Section.join(path, key);
      place = descend(place, key, path, override);
    }
    place.put(keys.getLast(), override.value());
    origins.put(override.path(), override.origin());
  }

  private static ObjectNode descend(
      ObjectNode place, String key, String path, SettingOverride override) {
    JsonNode child = place.get(key);
    if (child == null || child.isNull()) {
      return place.putObject(key);
    }
    if (child instanceof ObjectNode object) {
      return object;
    }
    throw new ConfigException(
        override.origin() + ": " + path + " is " + child + ", so nothing can be set in it");
  }

  /** Full names of the single values that were asked for. */
  public Set<String> known() {
    return asked.keySet();
  }

  void key(String path) {
    keys.add(path);
  }

  /** Full names of all keys that were asked for, tables too, in the order of reading. */
  public Set<String> keys() {
    return keys;
  }

  /** Records that a setting was asked for. */
  public void asked(String path, String wantedValue, Object otherwise) {
    asked.put(path, new Asked(wantedValue, otherwise));
  }

  /** Returns the settings that were asked for, by their full names in the order of reading. */
  public Map<String, Asked> asked() {
    return asked;
  }

  /** Records the form that a value must have. */
  public void wanted(String path, String value) {
    wanted.put(path, value);
  }

  /** Returns the expected form of each value that was read, by its full name. */
  public Map<String, String> wanted() {
    return wanted;
  }

  /** Records the record that a table was bound to. */
  public void bound(String path, Object read) {
    bound.put(path, read);
  }

  /** Returns the record that each table was bound to, by its full name. */
  public Map<String, Object> bound() {
    return bound;
  }

  /** Returns a complaint about one setting, with the place that holds it. */
  ConfigException error(String path, String complaint) {
    return new ConfigException(origin(path) + ": " + path + " " + complaint);
  }

  /**
   * Returns the origin of a value: where it was set itself, or its enclosing table, or else
   * something inside it.
   */
  private String origin(String path) {
    String outer = path;
    while (!outer.isEmpty() && !origins.containsKey(outer)) {
      int end = Math.max(outer.lastIndexOf('.'), outer.lastIndexOf('['));
      outer = outer.substring(0, Math.max(0, end));
    }
    String nearest = origins.get(outer);
    return nearest != null ? nearest : originInside(path + ".").orElse(file);
  }

  private Optional<String> originInside(String prefix) {
    return origins.entrySet().stream()
        .filter(origin -> origin.getKey().startsWith(prefix))
        .map(Map.Entry::getValue)
        .findFirst();
  }
}
