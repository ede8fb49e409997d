package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the threat model and the pom promise about what is shipped. */
class ShipmentTest {
  private static final Pattern TEST_NAME = Pattern.compile("`(\\w+(?:IT|Test))`");
  private static final Path MODEL = Path.of("src/docs/threat-model.md");

  private static Set<String> testClasses() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".java"))
          .map(name -> name.replace(".java", ""))
          .collect(Collectors.toSet());
    }
  }

  @Test
  void everyTestThatTheThreatModelNamesExists() throws IOException {
    List<String> named =
        TEST_NAME.matcher(Files.readString(MODEL)).results().map(match -> match.group(1)).toList();
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(testClasses()).containsAll(named);
  }

  @Test
  void everyBoundaryOfTheThreatModelNamesATest() throws IOException {
    List<String> rows =
        Files.readAllLines(MODEL).stream()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| boundary"))
            .filter(line -> !line.startsWith("| ---"))
            .toList();
    assertThat(rows).hasSizeGreaterThan(15).allMatch(row -> TEST_NAME.matcher(row).find());
  }

  @Test
  void everyVersionOfThePomIsAProperty() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    String body = pom.substring(pom.indexOf("<dependencyManagement>"));
    List<String> versions =
        Pattern.compile("<version>([^<]+)</version>")
            .matcher(body)
            .results()
            .map(match -> match.group(1))
            .filter(version -> !version.startsWith("${"))
            .toList();
    assertThat(versions).containsExactlyInAnyOrder("3.8.7", "17", "[${jdk.release},26)");
    assertThat(body).contains("<dependencyConvergence />", "<requireUpperBoundDeps />");
  }

  @Test
  void theFlavourWithoutTensorflowLeavesOutTheSamplesThatNeedIt() throws IOException {
    Path samples = Path.of("src/sample/models");
    try (Stream<Path> files = Files.walk(samples)) {
      assertThat(files.filter(file -> file.endsWith("saved_model.pb")))
          .extracting(file -> samples.relativize(file).getName(0) + "/**")
          .containsOnly(profile("samples.excluded"));
    }
    assertThat(profile("shipment.natives")).isEqualTo("${shipment.onnx},${shipment.tokenizers}");
    assertThat(profile("tensorflow.skip")).isEqualTo("true");
  }

  private static String profile(String property) throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    String profile = pom.substring(pom.indexOf("<id>onnx</id>"));
    var matcher =
        Pattern.compile("<%1$s>(.*)</%1$s>".formatted(Pattern.quote(property))).matcher(profile);
    assertThat(matcher.find()).as(property).isTrue();
    return matcher.group(1);
  }
}
