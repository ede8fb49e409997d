package dev.sluice.config;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.SettingsTree;
import dev.sluice.config.binding.Units;
import dev.sluice.config.binding.YamlFile;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.VersionPolicyConfig;
import dev.sluice.testing.SourceDocs;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All settings of a file, as its readers ask for them: what each has to be, what holds without it,
 * and what its record's Javadoc says of it.
 */
final class SettingsReference {
  /** Settings whose name is not that of the record component that holds them. */
  private static final Map<String, String> COMPONENTS =
      Map.ofEntries(
          Map.entry("admin", "SluiceConfig.ADMIN"),
          Map.entry("listeners[].address", "ListenerConfig.host"),
          Map.entry("listeners[].socket_mode", "SocketAccess.mode"),
          Map.entry("listeners[].socket_group", "SocketAccess.group"),
          Map.entry("listeners[].tls.min_version", "TlsConfig.onlyTls13"),
          Map.entry("models.directory", "DesiredModels.directories"),
          Map.entry("models.list", "DesiredModels.listed"),
          Map.entry("models.control", "ControlConfig.mode"),
          Map.entry("models.plugins", "TrustConfig.pluginModels"),
          Map.entry("isolation", "IsolationConfig.mode"),
          Map.entry("isolation_memory", "IsolationConfig.memory"),
          Map.entry("isolation_kill_after", "IsolationConfig.killAfter"),
          Map.entry("onnx.isolation", "IsolationConfig.mode"),
          Map.entry("onnx.isolation_memory", "IsolationConfig.memory"),
          Map.entry("onnx.isolation_kill_after", "IsolationConfig.killAfter"),
          Map.entry("tensorflow.isolation", "IsolationConfig.mode"),
          Map.entry("tensorflow.isolation_memory", "IsolationConfig.memory"),
          Map.entry("tensorflow.isolation_kill_after", "IsolationConfig.killAfter"),
          Map.entry("queue_full", "QueueConfig.whenFull"),
          Map.entry("preferred_batch_size", "BatchingConfig.preferredBatchSizes"),
          Map.entry("stream.next.repetition_penalty", "GeneratorConfig.Penalties.repetition"),
          Map.entry("stream.next.presence_penalty", "GeneratorConfig.Penalties.presence"),
          Map.entry("stream.next.frequency_penalty", "GeneratorConfig.Penalties.frequency"),
          Map.entry("sequence.state", "SequenceConfig.states"),
          Map.entry("sequence.controls.start", "SequenceConfig.ControlKind.START"),
          Map.entry("sequence.controls.ready", "SequenceConfig.ControlKind.READY"),
          Map.entry("sequence.controls.end", "SequenceConfig.ControlKind.END"),
          Map.entry("sequence.controls.id", "SequenceConfig.ControlKind.ID"));

  /** Values that are tables with keys that people choose, or that other settings bound. */
  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("admin", "host:port, unix:/path, or a table as one of `listeners`"),
          Map.entry("models.list", "table: name → folder or file"),
          Map.entry("labels", "table: label → version"),
          Map.entry("class_labels", "table: output → file"),
          Map.entry("stream.feedback", "table: output → input"),
          Map.entry("java.settings", "table: key → text"),
          Map.entry("ensemble.steps[].inputs", "table: input → tensor"),
          Map.entry("ensemble.steps[].outputs", "table: output → tensor"),
          Map.entry("ensemble.steps[].version", "version"),
          Map.entry("default_priority_level", "integer, 1 to `priority_levels`"),
          Map.entry("preferred_batch_size", "list: integer, 1 to `max_batch_size`"),
          Map.entry("allowed_batch_sizes", "list: integer, 1 to `max_batch_size`"),
          Map.entry("explain.samples", "integer, 2 to `explain.max_samples`"));

  /** What is in {@code defaults} of the server's file is described where models are. */
  private static final String DEFAULTS = "models.defaults.";

  private static final Pattern AFTER_UNDERSCORE = Pattern.compile("_(.)");

  /** Tables that are bound to no record. */
  private static final Set<String> SECTIONS = Set.of("sequence.controls");

  private static final Duration SECOND = Duration.ofSeconds(1);

  /**
   * One setting.
   *
   * @param name its full name, {@code []} standing for each element of a list
   * @param value what it has to be
   * @param otherwise what holds without it; empty: nothing
   * @param meaning in Markdown
   */
  record Row(String name, String value, String otherwise, String meaning) {
    /** The table that the setting is in; empty for the file itself. */
    String table() {
      return name.contains(".") ? name.substring(0, name.indexOf('.')).replace("[]", "") : "";
    }

    /** The first sentence of its meaning, without Markdown, and what may be chosen. */
    String summary() {
      String first = meaning.split("\\. ", 2)[0].replace("`", "");
      return value.matches("[a-z_]+(, [a-z_]+)+") ? first + ": " + value : first;
    }
  }

  private final SourceDocs docs;
  private final Map<String, Object> bound = new LinkedHashMap<>();
  private final Map<String, Row> rows = new LinkedHashMap<>();

  private SettingsReference(SourceDocs docs) {
    this.docs = docs;
  }

  /** The settings of a server. */
  static SettingsReference ofServer(Path example) throws IOException {
    return of(example, SluiceConfig::read);
  }

  /** The settings of a model. */
  static SettingsReference ofModel(Path example) throws IOException {
    return of(example, model -> ModelConfig.read(model, ModelConfig.DEFAULT));
  }

  /**
   * @param example a file with every table that is only read where there is one
   */
  private static SettingsReference of(Path example, Function<Section, ?> reader)
      throws IOException {
    var reference =
        new SettingsReference(SourceDocs.of(Path.of("src/main/java/dev/sluice/config")));
    var nothing = new SettingsTree(JsonNodeFactory.instance.objectNode(), "nothing");
    nothing.read(reader);
    var full = new SettingsTree(YamlFile.read(example), example.toString());
    full.read(reader);
    reference.collect(nothing, full);
    return reference;
  }

  /** The settings in the order of reading. */
  Collection<Row> rows() {
    return rows.values();
  }

  Optional<Row> row(String name) {
    return Optional.ofNullable(rows.get(name));
  }

  /** Whether the setting is a list of tables, or a table. */
  boolean isList(String name) {
    return bound.containsKey(name + "[]") || bound.containsKey(name);
  }

  /** What the record says that a table is bound to; empty if nothing does. */
  Optional<String> table(String name) {
    return Optional.ofNullable(bound.get(name))
        .filter(Record.class::isInstance)
        .flatMap(record -> docs.find(typeName(record.getClass())));
  }

  private void collect(SettingsTree nothing, SettingsTree full) {
    full.bound().forEach((name, value) -> bound.putIfAbsent(general(name), value));
    Map<String, String> elements = new LinkedHashMap<>();
    full.wanted().forEach((name, wanted) -> elements.putIfAbsent(general(name), wanted));
    for (String name : full.keys()) {
      String setting = general(name);
      if (!rows.containsKey(setting) && isSetting(setting, full)) {
        var asked = nothing.asked().getOrDefault(name, full.asked().get(name));
        String value = asked == null ? "text" : value(asked, elements.get(setting + "[]"));
        String otherwise = asked == null ? "" : show(asked.otherwise());
        rows.put(
            setting,
            new Row(setting, VALUES.getOrDefault(setting, value), otherwise, meaning(setting)));
      }
    }
  }

  /** Tables are no settings, but what is in them; nor is what a table instead of a text holds. */
  private boolean isSetting(String name, SettingsTree full) {
    String table = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : "";
    boolean list = bound.containsKey(name + "[]");
    boolean shorthand = full.asked().containsKey(table) && !bound.containsKey(table + "[]");
    boolean boundTable = bound.get(name) instanceof Record && !name.equals("admin");
    return !boundTable
        && !SECTIONS.contains(name)
        && !list
        && !shorthand
        && !name.startsWith(DEFAULTS)
        && !name.startsWith("admin.");
  }

  private static String general(String name) {
    return name.replaceAll("\\[\\d+]", "[]");
  }

  private String meaning(String setting) {
    String component = COMPONENTS.get(setting);
    String text = component != null ? docs.get(component) : ofComponent(setting);
    return text.replaceFirst("\\.$", "");
  }

  private String ofComponent(String setting) {
    int end = setting.lastIndexOf('.');
    String key = setting.substring(end + 1);
    @Nullable Object record = bound.get(end < 0 ? "" : setting.substring(0, end));
    return find(record, camelCase(key))
        .orElseThrow(() ->
            new AssertionError(
                "no @param says what "
                    + setting
                    + " is; "
                    + (record == null ? "its record" : typeName(record.getClass()))
                    + " has no component "
                    + camelCase(key)));
  }

  private Optional<String> find(@Nullable Object value, String name) {
    return value instanceof Record ? find(value.getClass(), name) : Optional.empty();
  }

  private Optional<String> find(Class<?> type, String name) {
    List<Class<?>> inner = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      if (component.getName().equals(name)) {
        return docs.find(typeName(type) + "." + name);
      }
      inner.add(recordIn(component));
    }
    return inner.stream()
        .filter(Class::isRecord)
        .flatMap(part -> find(part, name).stream())
        .findFirst();
  }

  /** The component's type, or what its type is an Optional of. */
  private static Class<?> recordIn(RecordComponent component) {
    return component.getGenericType() instanceof java.lang.reflect.ParameterizedType optional
            && component.getType() == Optional.class
            && optional.getActualTypeArguments()[0] instanceof Class<?> type
        ? type
        : component.getType();
  }

  private static String typeName(Class<?> type) {
    return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
  }

  private static String camelCase(String key) {
    return AFTER_UNDERSCORE
        .matcher(key)
        .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
  }

  private static String value(SettingsTree.Asked asked, @Nullable String element) {
    if (asked.wanted().equals("a list")) {
      return element == null ? "list" : "list: " + plain(element);
    }
    return plain(asked.wanted());
  }

  private static String plain(String wanted) {
    return wanted
        .replace(Units.DURATION_WANTED, "duration")
        .replaceFirst("^a size in bytes such as [^,]*, [^,]*, [^,]*, from", "size,")
        .replaceFirst("^a size in bytes[^,]*(, \\S+){1,2} or \\S+, from", "size,")
        .replaceFirst("^a whole number from (\\S+) to 2147483647$", "integer, from $1")
        .replaceFirst("^a whole number from", "integer,")
        .replaceFirst("^a version, which is", "version:")
        .replaceFirst("^a number from", "number,")
        .replaceFirst("^one of ", "")
        .replaceFirst("^an? ", "");
  }

  private static String show(Object value) {
    return switch (value) {
      case Duration length -> duration(length);
      case Long size -> Units.show(size);
      case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT);
      case Optional<?> optional -> optional.map(SettingsReference::show).orElse("");
      case Collection<?> list when list.isEmpty() -> "";
      case Collection<?> list ->
          inOrder(list).stream()
              .map(SettingsReference::show)
              .collect(Collectors.joining(", ", "[", "]"));
      case Double number when number == Math.rint(number) -> Long.toString(number.longValue());
      case VersionPolicyConfig.Latest latest -> "{ latest: " + latest.count() + " }";
      default -> value.toString();
    };
  }

  /** Sets of constants have no order of their own; other lists keep theirs. */
  private static Collection<?> inOrder(Collection<?> list) {
    return list.iterator().next() instanceof Enum<?> ? new TreeSet<Object>(list) : list;
  }

  private static String duration(Duration length) {
    if (length.isZero()) {
      return "0s";
    }
    if (length.compareTo(SECOND) < 0) {
      return length.toNanos() % 1_000_000 == 0
          ? length.toMillis() + "ms"
          : length.toNanos() / 1_000 + "us";
    }
    return length.toSeconds() % 60 == 0 ? length.toMinutes() + "m" : length.toSeconds() + "s";
  }
}
