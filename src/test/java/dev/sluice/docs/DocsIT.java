package dev.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.ModelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every command of the documentation does what its page says, and every link leads somewhere. */
class DocsIT {
  private static final Path DOCS = Path.of("src/docs");
  private static final Pattern LINK = Pattern.compile("\\[[^]]*]\\(([^)#\\s]*)(?:#([^)\\s]+))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  @TempDir private Path folder;

  static List<DocsPage> pages() throws IOException {
    List<DocsPage> pages = new ArrayList<>();
    for (String top :
        List.of(
            "README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "loadtest/README.md")) {
      if (Files.exists(Path.of(top))) {
        pages.add(DocsPage.read(Path.of(top)));
      }
    }
    try (Stream<Path> below = Files.walk(DOCS)) {
      for (Path file : below.filter(path -> path.toString().endsWith(".md")).sorted().toList()) {
        pages.add(DocsPage.read(file));
      }
    }
    return pages;
  }

  static Stream<DocsPage> pagesWithCommands() throws IOException {
    return pages().stream().filter(page -> !page.commands().isEmpty());
  }

  @ParameterizedTest
  @MethodSource("pagesWithCommands")
  void everyCommandDoesWhatThePageSays(DocsPage page) throws Exception {
    try (var reader = new Reader(folder)) {
      for (DocsPage.Block block : page.blocks()) {
        reader.does(block);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everySettingsBlockCanBeRead(DocsPage page) throws IOException {
    for (DocsPage.Block block : page.blocks()) {
      if (block instanceof DocsPage.Settings(String text)) {
        // A section of a model's settings may want batches, which another section has.
        boolean readable =
            isOfServer(text) || isOfModel("", text) || isOfModel("max_batch_size: 16\n", text);
        assertThat(readable).as(text).isTrue();
      }
    }
  }

  private boolean isOfServer(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("sluice.yml"), text);
    try {
      SluiceConfig read =
          new SluiceConfigReader(_ -> {}).read(Optional.of(file), Map.of(), List.of());
      return !read.equals(SluiceConfig.DEFAULT);
    } catch (ConfigException _) {
      return false;
    }
  }

  private boolean isOfModel(String others, String text) throws IOException {
    try {
      return !model(others + text).equals(model(others));
    } catch (ConfigException _) {
      return false;
    }
  }

  private ModelConfig model(String text) throws IOException {
    Files.writeString(folder.resolve("model.yml"), text);
    return new ModelConfigReader(SluiceConfig.DEFAULT, _ -> {}).read(folder);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyLinkLeadsSomewhere(DocsPage page) throws IOException {
    Matcher link = LINK.matcher(withoutCode(Files.readString(page.file())));
    List<String> broken = new ArrayList<>();
    while (link.find()) {
      String target = link.group(1);
      if (!target.matches("(https?|mailto):.*") && !leads(page.file(), target, link.group(2))) {
        broken.add(link.group());
      }
    }
    assertThat(broken).isEmpty();
  }

  private static boolean leads(Path from, String target, @Nullable String anchor)
      throws IOException {
    Path parent = from.toAbsolutePath().getParent();
    Path file = target.isEmpty() ? from.toAbsolutePath() : parent.resolve(target).normalize();
    // The site has only what is below the folder of its pages.
    boolean leaves = from.startsWith(DOCS) && !file.startsWith(DOCS.toAbsolutePath());
    return !leaves && Files.exists(file) && (anchor == null || anchors(file).contains(anchor));
  }

  private static Set<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(Files.readString(page))
        .results()
        .map(heading ->
            heading
                .group(1)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9_ -]", "")
                .strip()
                .replaceAll(" +", "-"))
        .collect(Collectors.toSet());
  }

  private static String withoutCode(String text) {
    return text.replaceAll("(?s)```.*?```", "").replaceAll("`[^`]*`", "");
  }

  @Test
  void theReadmeIsAFrontPage() throws IOException {
    assertThat(Files.size(Path.of("README.md"))).isLessThanOrEqualTo(8_000);
  }

  @ParameterizedTest
  @MethodSource("pages")
  void commandsAreInBlocksThatAreExecuted(DocsPage page) throws IOException {
    assertThat(Files.readString(page.file())).doesNotContainPattern("(?m)^```(sh|bash|shell)\\b");
  }

  @Test
  void pagesOfMigrationBeginWithWhatDiffers() throws IOException {
    try (Stream<Path> files = Files.list(DOCS.resolve("migrate"))) {
      for (Path file : files.toList()) {
        Matcher heading = Pattern.compile("(?m)^## (.*)$").matcher(Files.readString(file));
        assertThat(heading.find()).as(file.toString()).isTrue();
        assertThat(heading.group(1)).as(file.toString()).startsWith("What differs");
      }
    }
  }

  @Test
  void everyPageThatTheCodeNamesIsThere() throws IOException {
    Pattern page = Pattern.compile("src/docs/[a-z/-]+\\.md");
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      List<Path> files = sources.filter(file -> file.toString().endsWith(".java")).toList();
      List<String> named = new ArrayList<>();
      for (Path file : files) {
        page.matcher(Files.readString(file)).results().forEach(found -> named.add(found.group()));
      }
      assertThat(named).isNotEmpty().allSatisfy(name -> assertThat(Path.of(name)).exists());
    }
  }

  @Test
  void everyPageIsInTheNavigationOfTheSite() throws IOException {
    String navigation = Files.readString(Path.of("src/build/mkdocs.yml"));
    assertThat(pages())
        .filteredOn(page -> page.file().startsWith(DOCS))
        .allSatisfy(
            page -> assertThat(navigation).contains(DOCS.relativize(page.file()).toString()));
  }

  @Test
  void thereAreCommandsOfEveryKind() throws IOException {
    List<String> lines =
        pagesWithCommands()
            .flatMap(page -> page.commands().stream())
            .map(DocsPage.Command::line)
            .toList();
    for (String kind : List.of("curl ", "grpcurl ", "make run", "make test", "sluice check")) {
      assertThat(lines).anyMatch(line -> line.startsWith(kind));
    }
  }
}
