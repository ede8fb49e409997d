package dev.sluice.runtime.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sluice.extension.Setup;
import dev.sluice.inference.ModelId;
import dev.sluice.serving.plugin.PluginMetrics;
import dev.sluice.testing.NoModels;
import dev.sluice.testing.PluginJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar that plugins are compiled against, which is made before the tests. */
class PluginApiTest {
  private static final String OURS = "dev.sluice.";

  private static Path jar(String kind) throws IOException {
    Path natives = Path.of(Objects.requireNonNull(System.getProperty("sluice.native.dir")));
    Path folder = natives.resolve("../../plugin-api").normalize();
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith("plugin-api" + kind + ".jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  /**
   * Returns the files of a kind in a jar, without their ending and with dots, package-infos aside.
   */
  private static Set<String> types(Path jar, String ending) throws IOException {
    try (var file = new JarFile(jar.toFile())) {
      return file.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.endsWith(ending) && !name.endsWith("package-info" + ending))
          .map(name -> name.substring(0, name.length() - ending.length()).replace('/', '.'))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void itHasTheApiAndWhatTheApiSpeaksOfAndNothingElse() throws IOException {
    Set<String> wanted = new TreeSet<>();
    new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.sluice")
            .stream()
            .filter(type -> type.getPackageName().equals("dev.sluice.extension"))
            .flatMap(type -> Stream.concat(Stream.of(type), targets(type)))
            .filter(type -> type.getName().startsWith(OURS) && !type.isArray())
            .map(JavaClass::getName)
            .filter(name -> !name.endsWith("package-info"))
            .forEach(wanted::add);
    assertThat(wanted).contains("dev.sluice.extension.Model", "dev.sluice.tensor.Shape");
    assertThat(types(jar(""), ".class")).isEqualTo(wanted);
  }

  private static Stream<JavaClass> targets(JavaClass type) {
    return type.getTransitiveDependenciesFromSelf().stream()
        .map(Dependency::getTargetClass)
        .map(JavaClass::getBaseComponentType);
  }

  @Test
  void itsSourcesAreThoseOfItsClasses() throws IOException {
    Set<String> outer =
        types(jar(""), ".class").stream()
            .filter(name -> !name.contains("$"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(types(jar("-sources"), ".java")).isEqualTo(outer);
  }

  @Test
  void everyPluginIsCompiledAgainstItAlone(@TempDir Path folder) throws IOException {
    var plugins = new PluginJar().option("-cp", jar("").toString());
    for (String name :
        List.of(
            "Chatter", "Doubler", "Echo", "Echoes", "Gate", "Missing", "Parrot", "Relay",
            "Totals")) {
      plugins.file(name);
    }
    plugins.service("Model", "Parrot").into(folder);
    var setup =
        new Setup(
            "mine",
            1,
            folder,
            Map.of(),
            new NoModels(),
            new PluginMetrics().of(new ModelId("mine", 1)));
    try (PluginCode code = PluginCode.open(setup, () -> {})) {
      assertThat(code.model()).isPresent();
    }
  }
}
