package dev.sluice.config.compat.grps;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import dev.sluice.config.binding.SettingsTree;
import dev.sluice.config.binding.YamlFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One of the two files that a grps deployment is configured by, while it is read.
 *
 * <p>Keys that the native server knows and that change nothing here are collected and named in one
 * warning.
 */
final class GrpsFile {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .build();

  private final SettingsTree tree;
  private final ObjectNode node;
  private final List<String> unused = new ArrayList<>();

  private GrpsFile(SettingsTree tree, ObjectNode node) {
    this.tree = tree;
    this.node = node;
  }

  static GrpsFile open(Path file) {
    ObjectNode node = YamlFile.read(file);
    return new GrpsFile(new SettingsTree(node, file.toString()), node);
  }

  Section root() {
    return new Section(tree, "", node);
  }

  /** Returns the value of a key that must have one. */
  static Setting required(Section section, String key, String wanted) {
    return section.value(key).orElseThrow(() -> section.missing(key, wanted));
  }

  /** Returns a table inside, if it is there. */
  static Optional<Section> table(Section section, String key) {
    return section.value(key).map(Setting::section);
  }

  /** Notes the keys of a section that were not read, as those that change nothing. */
  void noteUnread(Section section) {
    unused.addAll(section.unread());
  }

  /** Notes a key that was read and changes nothing. */
  void noteUnused(Setting setting) {
    unused.add(setting.name());
  }

  /** Full names of keys that change nothing. */
  List<String> unused() {
    return unused;
  }

  /** Returns the whole file, written out again. */
  String text() {
    return text(node);
  }

  static String text(JsonNode node) {
    try {
      return YAML.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("what was read as YAML cannot be written", e);
    }
  }
}
