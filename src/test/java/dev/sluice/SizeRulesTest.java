package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Bounds of packages and records: what grows beyond them is split or grouped by idea. */
class SizeRulesTest {
  private static final int MOST_TYPES = 25;
  private static final int MOST_COMPONENTS = 8;

  /**
   * Records that keep more components, each for a reason. The settings' pages are generated from
   * the config records: a component is a setting, and a group would be another name in the files of
   * users.
   */
  private static final Map<String, String> WIDE_RECORDS =
      Map.of(
          "ModelConfig", "its components are the keys of model.yml",
          "ListenerConfig", "its components are the settings of a listener",
          "LimitsConfig", "its components are the settings below limits",
          "ExplainConfig", "its components are the settings below explain",
          "StreamConfig", "its components are the settings below stream");

  @Test
  void noPackageHasMoreThan25Types() throws IOException {
    Map<String, Long> types;
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      types =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("package-info.java"))
              .collect(
                  Collectors.groupingBy(
                      file -> String.valueOf(file.getParent()),
                      TreeMap::new,
                      Collectors.counting()));
    }
    assertThat(types).hasSizeGreaterThan(50);
    types.values().removeIf(count -> count <= MOST_TYPES);
    assertThat(types).as("packages with more than %d types", MOST_TYPES).isEmpty();
  }

  @Test
  void recordsWithMoreThan8ComponentsAreNamedWithAReason() {
    JavaClasses server =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.sluice");
    assertThat(
            server.stream()
                .filter(JavaClass::isRecord)
                .filter(record -> components(record) > MOST_COMPONENTS)
                .map(JavaClass::getSimpleName))
        .containsExactlyInAnyOrderElementsOf(WIDE_RECORDS.keySet());
  }

  private static long components(JavaClass record) {
    return record.getFields().stream()
        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
        .count();
  }
}
