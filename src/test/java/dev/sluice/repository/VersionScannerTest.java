package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.repository.scan.FileStamp;
import dev.sluice.repository.scan.Fingerprint;
import dev.sluice.repository.scan.ScanResult;
import dev.sluice.repository.scan.ScannedModel;
import dev.sluice.repository.scan.ScannedVersion;
import dev.sluice.repository.scan.VersionScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VersionScannerTest {
  private final ModelFiles files;

  VersionScannerTest(@TempDir Path root) {
    files = new ModelFiles(root);
  }

  @Test
  void eachSubFolderIsAModel() {
    files.versions("digits/1", "text/1");
    assertThat(scan().models()).containsOnlyKeys("digits", "text");
  }

  @Test
  void namesAreServedAsTheyAre() {
    files.versions("Größe 2.0/1", "a:b/1");
    assertThat(scan().models()).containsOnlyKeys("Größe 2.0", "a:b");
  }

  @Test
  void filesAndHiddenFoldersAreNoModels() {
    files.write("README.md", "");
    files.versions(".git/1");
    assertThat(scan().models()).isEmpty();
  }

  @Test
  void aModelWithoutVersionsIsSeen() {
    files.folder("empty");
    assertThat(model("empty").versions()).isEmpty();
  }

  @Test
  void numericFoldersAreVersions() {
    files.versions("digits/1", "digits/20");
    assertThat(model("digits").versions()).containsOnlyKeys(1L, 20L);
  }

  @Test
  void leadingZerosDoNotCount() {
    files.write("half/00000123/saved_model.pb", "");
    assertThat(model("half").versions()).containsOnlyKeys(123L);
  }

  @Test
  void aFileCanBeAModelByItself(@TempDir Path elsewhere) throws IOException {
    Path file = Files.writeString(elsewhere.resolve("net.onnx"), "");
    Files.writeString(elsewhere.resolve("beside.onnx"), "");
    var scans = scanner(DesiredModels.only(Map.of("net", ListedModel.in(file)))).scan();
    ScannedVersion only =
        Objects.requireNonNull(
            Objects.requireNonNull(scans.models().get("net")).versions().get(1L));
    assertThat(only.folder()).isEqualTo(file);
    assertThat(only.whole()).isTrue();
    assertThat(only.files().files()).extracting(FileStamp::name).containsExactly("net.onnx");
  }

  @Test
  void zeroIsAVersion() {
    files.versions("digits/0");
    assertThat(model("digits").versions()).containsOnlyKeys(0L);
  }

  @Test
  void theLargestNumberIsThatOf64Bits() {
    files.versions("digits/9223372036854775807", "digits/9223372036854775808");
    assertThat(model("digits").versions()).containsOnlyKeys(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "-1", "+1", "1.0", "1a", "١", ".1", "tmp"})
  void otherFoldersAreIgnoredSilently(String name) {
    files.versions("digits/" + name);
    assertThat(model("digits").versions()).isEmpty();
    assertThat(scan().warnings()).isEmpty();
  }

  @Test
  void aNumericFileIsNoVersion() {
    files.write("digits/1", "");
    assertThat(model("digits").versions()).isEmpty();
  }

  @Test
  void ofTwoFoldersWithOneNumberTheLastBySortingWins() {
    files.versions("digits/001", "digits/1", "digits/01");
    assertThat(version("digits", 1).folder()).hasFileName("1");
    assertThat(scan().warnings()).hasSize(2).allMatch(text -> text.contains("version 1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"model.onnx", "saved_model.pb", "saved_model.pbtxt", "net.onnx", "model.onnx/m"})
  void aVersionWithAModelFileLooksWhole(String file) {
    files.write("digits/1/" + file, "x");
    assertThat(version("digits", 1).whole()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"variables/variables.index", "model.onnx.part", ".net.onnx", "a/b.onnx"})
  void aVersionWithoutAModelFileDoesNot(String file) {
    files.write("digits/1/" + file, "x");
    assertThat(version("digits", 1).whole()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"model.onnx", "saved_model.pb", "net.onnx", "code.jar"})
  void aModelFileInTheModelsFolderIsVersionOne(String file) {
    files.write("digits/" + file, "x");
    ScannedVersion only = version("digits", 1);
    assertThat(only.whole()).isTrue();
    assertThat(only.folder()).isEqualTo(files.root.resolve("digits"));
  }

  @Test
  void anOnnxFileOfAnotherNameIsAVersionOnlyIfItIsAlone() {
    files.write("two/a.onnx", "x");
    files.write("two/b.onnx", "x");
    assertThat(model("two").versions()).isEmpty();
    files.write("numbered/a.onnx", "x");
    files.write("numbered/2/model.onnx", "x");
    assertThat(model("numbered").versions()).containsOnlyKeys(2L);
  }

  @Test
  void aFolderAsItIsPublishedIsAVersion() {
    files.write("minilm/config.json", "{}");
    files.write("minilm/onnx/model_quantized.onnx", "x");
    assertThat(version("minilm", 1).whole()).isTrue();
    files.write("started/config.json", "{}");
    files.write("started/onnx/model.onnx.part", "x");
    assertThat(version("started", 1).whole()).isFalse();
  }

  @Test
  void aFolderAsItIsPublishedWithoutConfigJsonIsAVersion() {
    files.write("minilm/tokenizer.json", "{}");
    files.write("minilm/onnx/model.onnx", "x");
    assertThat(version("minilm", 1).whole()).isTrue();
    files.write("other/onnx/model.onnx", "x");
    assertThat(model("other").versions()).isEmpty();
  }

  @Test
  void aFolderWithAMergedDecoderBesideItsPartsIsAVersion() {
    files.write("gpt/decoder_model.onnx", "x");
    files.write("gpt/decoder_with_past_model.onnx", "x");
    files.write("gpt/decoder_model_merged.onnx", "x");
    assertThat(version("gpt", 1).whole()).isTrue();
  }

  @Test
  void settingsAndNumberedVersionsAreNoPartOfTheOnlyVersion() {
    files.write("digits/saved_model.pb", "x");
    files.write("digits/variables/variables.index", "x");
    files.write("digits/model.yml", "labels: {}");
    files.versions("digits/2");
    assertThat(version("digits", 1).files().files())
        .extracting(FileStamp::name)
        .containsExactly("saved_model.pb", "variables/variables.index");
  }

  @Test
  void aNumberedVersionOneWinsOverFilesBesideIt() {
    files.versions("digits/1", "digits");
    assertThat(version("digits", 1).folder()).hasFileName("1");
    assertThat(scan().warnings()).singleElement().asString().contains("version 1");
  }

  @Test
  void fingerprintsAreEqualWhileNothingChanges() {
    files.versions("digits/1");
    assertThat(scan()).isEqualTo(scan());
  }

  @Test
  void anyFileBelowChangesTheFingerprint() {
    files.versions("digits/1");
    Fingerprint before = version("digits", 1).files();
    files.write("digits/1/variables/deep/down", "x");
    assertThat(version("digits", 1).files()).isNotEqualTo(before);
  }

  @Test
  void aNewTimeAloneChangesTheFingerprint() {
    files.versions("digits/1");
    Fingerprint before = version("digits", 1).files();
    files.write("digits/1/model.onnx", "digits/1", ModelFiles.NOW);
    assertThat(version("digits", 1).files()).isNotEqualTo(before);
    assertThat(version("digits", 1).files().newest()).isEqualTo(ModelFiles.NOW);
  }

  @Test
  void theSettingsFileHasAFingerprintOfItsOwn() {
    files.versions("digits/1");
    assertThat(model("digits").settings()).isEqualTo(Fingerprint.NONE);
    files.write("digits/model.yml", "labels: {}");
    assertThat(model("digits").settings().files()).hasSize(1);
  }

  @Test
  void linksAreFollowed() throws IOException {
    files.write("elsewhere/net/model.onnx", "x");
    files.folder("models/digits");
    Files.createSymbolicLink(
        files.root.resolve("models/digits/1"), files.root.resolve("elsewhere/net"));
    ScanResult seen = scanner(new DesiredModels(files.root.resolve("models"), Map.of())).scan();
    assertThat(scanned(seen, "digits").versions()).containsOnlyKeys(1L);
  }

  @Test
  void linksInACircleAreWalkedOnce() throws IOException {
    files.versions("digits/1");
    Files.createSymbolicLink(files.root.resolve("digits/1/again"), files.root.resolve("digits/1"));
    assertThat(version("digits", 1).whole()).isTrue();
  }

  @Test
  void namedModelsHaveFoldersOfTheirOwn() {
    files.versions("elsewhere/1");
    ScanResult seen =
        scanner(
                DesiredModels.only(
                    Map.of("digits", ListedModel.in(files.root.resolve("elsewhere")))))
            .scan();
    assertThat(seen.complete()).isTrue();
    assertThat(scanned(seen, "digits").versions()).containsOnlyKeys(1L);
  }

  @Test
  void aNamedModelWinsOverASubFolder() {
    files.versions("digits/1", "other/2");
    ScanResult seen =
        scanner(
                new DesiredModels(
                    files.root, Map.of("digits", ListedModel.in(files.root.resolve("other")))))
            .scan();
    assertThat(scanned(seen, "digits").versions()).containsOnlyKeys(2L);
    assertThat(seen.warnings()).singleElement().asString().contains("digits");
  }

  @Test
  void aNamedModelWithoutAFolderIsUnreadable() {
    ScanResult seen =
        scanner(DesiredModels.only(Map.of("digits", ListedModel.in(files.root.resolve("none")))))
            .scan();
    assertThat(seen.unreadable()).containsExactly("digits");
    assertThat(seen.misses("digits")).isFalse();
    assertThat(seen.warnings()).singleElement().asString().contains("digits", "none");
  }

  @Test
  void withoutTheDirectoryNoModelIsMissed() {
    ScanResult seen = scanner(new DesiredModels(files.root.resolve("none"), Map.of())).scan();
    assertThat(seen.complete()).isFalse();
    assertThat(seen.misses("digits")).isFalse();
    assertThat(seen.warnings()).singleElement().asString().contains("none");
  }

  @Test
  void inACompleteLookAnAbsentModelIsMissed() {
    assertThat(scan().misses("digits")).isTrue();
  }

  private ScanResult scan() {
    return scanner(new DesiredModels(files.root, Map.of())).scan();
  }

  private ScannedModel model(String name) {
    return scanned(scan(), name);
  }

  private ScannedVersion version(String name, long number) {
    return Objects.requireNonNull(model(name).versions().get(number));
  }

  private static ScannedModel scanned(ScanResult seen, String name) {
    return Objects.requireNonNull(seen.models().get(name));
  }

  private static VersionScanner scanner(DesiredModels wanted) {
    return new VersionScanner(wanted, Map.of());
  }
}
