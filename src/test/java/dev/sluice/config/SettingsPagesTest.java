package dev.sluice.config;

import static dev.sluice.testing.GeneratedPage.cell;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.binding.Section;
import dev.sluice.testing.GeneratedPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The pages of settings, and the comments of {@code conf/sluice.yml}, are made from the records
 * that hold the settings: their Javadoc is the one place that describes a setting.
 */
class SettingsPagesTest {
  private static final Path PAGES = Path.of("src/docs/reference");
  private static final Path SERVER_EXAMPLE = PAGES.resolve("examples/sluice.yml");
  private static final Path MODEL_EXAMPLE = PAGES.resolve("examples/model.yml");
  private static final Path SHIPPED = Path.of("conf/sluice.yml");

  private static final String SERVER_HEAD =
      """
      # Settings

      `sluice serve --config FILE` reads a YAML file. A flag beats an environment variable, which beats the file, which beats the default:

      | where | how `limits.max_body_size` is set |
      | --- | --- |
      | flag | `--set limits.max_body_size=8MiB` |
      | environment | `SLUICE_LIMITS_MAX_BODY_SIZE=8MiB` |
      | file | `limits: { max_body_size: 8MiB }` |

      An unknown key is an error that names the nearest known one. Durations have a unit: `500us`, `2ms`, `30s`, `10m`, `1h`. Sizes are bytes, or
      have a unit: `512KiB`, `64MiB`, `1GiB`. Relative paths are relative to the working directory. `[]` stands for each element of a
      list; an empty default means that the setting is off or that its meaning says what holds. `conf/sluice.yml` in the distribution has every
      setting with its default, and `models.defaults` takes the settings of [model.yml](model-yml.md) that are not of one model.

      Two variables are of the environment only: `SLUICE_CONFIG`, the file, and `SLUICE_JAVA_OPTS`, flags of the JVM, which beat those of
      `bin/sluice` ([memory](../memory.md)). An unknown `SLUICE_…` is a warning, since other programs may have set it; one that begins with
      `SLUICE_SECURITY_`, or names a table or a list of them, such as `security.policies`, ends the start: what is to keep callers out must not be left out in silence.

      """;

  private static final String MODEL_HEAD =
      """
      # model.yml

      A model's folder may have a `model.yml`, with the settings of this model alone. What it leaves out is as `models.defaults` of the
      [server's settings](settings.md) says, and else as here. Units are those of the server's settings. Paths are relative to the model's folder, and
      lie in it.

      """;

  @Test
  void theReferenceOfServerSettingsIsWhatTheReadersAskFor() throws IOException {
    var reference = SettingsReference.ofServer(SERVER_EXAMPLE);
    GeneratedPage.assertIs(
        PAGES.resolve("settings.md"), page(SERVER_HEAD, reference, SERVER_EXAMPLE));
  }

  @Test
  void theReferenceOfModelSettingsIsWhatTheReadersAskFor() throws IOException {
    var reference = SettingsReference.ofModel(MODEL_EXAMPLE);
    GeneratedPage.assertIs(
        PAGES.resolve("model-yml.md"), page(MODEL_HEAD, reference, MODEL_EXAMPLE));
  }

  @Test
  void theCommentsOfTheShippedSettingsAreThoseOfTheRecords() throws IOException {
    GeneratedPage.assertIs(
        SHIPPED,
        commented(
            Files.readAllLines(SHIPPED),
            SettingsReference.ofServer(SERVER_EXAMPLE),
            SettingsReference.ofModel(MODEL_EXAMPLE)));
  }

  @Test
  void everyServerSettingHasAMeaningAndEveryListWithoutDefaultAnExample() throws IOException {
    var reference = SettingsReference.ofServer(SERVER_EXAMPLE);
    assertThat(reference.rows()).hasSizeGreaterThan(80);
    assertThat(reference.rows())
        .allSatisfy(row -> {
          assertThat(row.meaning()).as(row.name()).isNotBlank();
          assertThat(row.value()).as("example of " + row.name()).isNotEqualTo("list");
        });
    assertThat(SluiceConfigReader.settings())
        .filteredOn(name -> !name.startsWith("models.defaults."))
        .allSatisfy(name ->
            assertThat(reference.row(name).isPresent() || reference.isList(name))
                .as(name)
                .isTrue());
  }

  private static String page(String head, SettingsReference reference, Path example)
      throws IOException {
    Map<String, List<SettingsReference.Row>> tables = new LinkedHashMap<>();
    tables.put("", new ArrayList<>());
    List<String> lines = Files.readAllLines(example);
    lines.stream()
        .filter(line -> line.matches("[a-z]+:.*"))
        .map(line -> line.substring(0, line.indexOf(':')))
        .filter(key -> reference.rows().stream().anyMatch(row -> row.table().equals(key)))
        .forEach(key -> tables.put(key, new ArrayList<>()));
    reference
        .rows()
        .forEach(row -> tables.computeIfAbsent(row.table(), _ -> new ArrayList<>()).add(row));
    var page = new StringBuilder(head);
    tables.forEach((table, rows) -> {
      page.append(table.isEmpty() ? "## Top level\n\n" : "## `" + table + "`\n\n");
      reference
          .table(table.equals("listeners") ? "listeners[]" : table)
          .filter(_ -> !table.isEmpty())
          .ifPresent(text -> page.append(text).append("\n\n"));
      page.append("| setting | value | default | meaning |\n| --- | --- | --- | --- |\n");
      rows.forEach(row -> page.append(line(row)));
      page.append("\n```yaml\n").append(excerpt(lines, table, rows)).append("```\n\n");
    });
    return page.toString().stripTrailing() + "\n";
  }

  private static String line(SettingsReference.Row row) {
    return "| `%s` | %s | %s | %s |%n"
        .formatted(
            row.name(),
            cell(row.value()),
            row.otherwise().isEmpty() ? "" : "`" + cell(row.otherwise()) + "`",
            cell(row.meaning()));
  }

  /** The lines of the example that belong to a table, or to the settings that are in none. */
  private static String excerpt(
      List<String> lines, String table, List<SettingsReference.Row> rows) {
    var text = new StringBuilder();
    boolean inside = false;
    for (String line : lines) {
      if (!line.isEmpty() && !line.startsWith(" ")) {
        String key = line.substring(0, line.indexOf(':'));
        inside =
            table.isEmpty()
                ? rows.stream().anyMatch(row -> row.name().equals(key))
                : key.equals(table);
      }
      if (inside && !line.isEmpty()) {
        text.append(line).append('\n');
      }
    }
    return text.toString();
  }

  private static final Pattern SETTING =
      Pattern.compile("( *)(- )?([a-z0-9_]+):( [^#]*?)?( +#.*)?");

  /** Columns before a comment. */
  private static final int COMMENT = 40;

  /** An indented key, while what is below it is read. */
  private record Level(int indent, String name) {}

  private static String commented(
      List<String> lines, SettingsReference server, SettingsReference model) {
    var text = new StringBuilder();
    Deque<Level> levels = new ArrayDeque<>();
    for (String line : lines) {
      Matcher setting = SETTING.matcher(line);
      text.append(setting.matches() ? commented(line, setting, levels, server, model) : line)
          .append('\n');
    }
    return text.toString();
  }

  private static String commented(
      String line,
      Matcher setting,
      Deque<Level> levels,
      SettingsReference server,
      SettingsReference model) {
    boolean element = setting.group(2) != null;
    int indent = setting.group(1).length() + (element ? 2 : 0);
    while (!levels.isEmpty() && levels.peek().indent() >= indent) {
      levels.pop();
    }
    String outer =
        levels.isEmpty()
            ? ""
            : levels.peek().name() + (indent - levels.peek().indent() > 2 ? "[]" : "");
    String name = Section.join(outer, setting.group(3));
    levels.push(new Level(indent, name));
    String defaults = "models.defaults.";
    return (name.startsWith(defaults)
            ? model.row(name.substring(defaults.length()))
            : server.row(name))
        .map(row -> {
          String key = line.substring(0, setting.end(4) < 0 ? setting.end(3) + 1 : setting.end(4));
          String gap = " ".repeat(Math.max(1, COMMENT - key.length()));
          return key + gap + "# " + row.summary();
        })
        .orElse(line);
  }
}
