package dev.sluice.serving.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.security.TrustConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.repository.LoadedModel;
import dev.sluice.serving.control.FolderState;
import dev.sluice.serving.control.LoadPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes what a caller named at the very moment at which a runtime opens it, and back again. */
class GuardedLoaderTest {
  private static final ModelId ID = new ModelId("m", 1);

  @TempDir Path temp;
  private Path root;
  private Path model;
  private Path outside;
  private LoadPolicy policy;
  private final List<String> read = new ArrayList<>();
  private int closed;

  /** What a loader does before it reads the model, and after it. */
  private interface Change {
    void make() throws IOException;
  }

  @BeforeEach
  void folders() throws IOException {
    root = Files.createDirectory(temp.toRealPath().resolve("root"));
    model = root.resolve("team/m");
    outside = Files.createDirectory(temp.toRealPath().resolve("outside"));
    file(model.resolve("1"), "own");
    file(outside.resolve("m/1"), "secret");
    policy =
        new LoadPolicy(
            new TrustConfig(List.of(root), Set.of(), List.of(), false),
            DesiredModels.only(Map.of()));
    policy.requireNamed(Map.of("m", ListedModel.in(model)));
  }

  private static void file(Path folder, String content) throws IOException {
    Files.writeString(Files.createDirectories(folder).resolve("model.onnx"), content);
  }

  private LoadedModel load(Change before, Change after) {
    var loader =
        new GuardedLoader(
            (_, folder, _) -> {
              try {
                before.make();
                read.add(Files.readString(folder.resolve("model.onnx")));
                after.make();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
              return new Model();
            },
            policy);
    return loader.load(ID, model.resolve("1"), ModelConfig.DEFAULT);
  }

  private final class Model implements LoadedModel {
    @Override
    public ModelMetadata metadata() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      closed++;
    }
  }

  private static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  private void assertRefused(Change before, Change after) {
    assertThatThrownBy(() -> load(before, after))
        .hasMessageContaining("changed while they were loaded");
    assertThat(read).as("the attack works").containsOnly("secret");
    assertThat(closed).isEqualTo(read.size());
  }

  @Test
  void whatStaysAsItIsIsLoaded() {
    assertThat(load(() -> {}, () -> {})).isNotNull();
    assertThat(read).containsExactly("own");
    assertThat(closed).isZero();
  }

  @Test
  void whatChangesOnceIsLoadedAgain() {
    Path beside = root.resolve("team/other");
    assertThat(load(() -> Files.createDirectories(beside), () -> {})).isNotNull();
    assertThat(read).containsExactly("own", "own");
    assertThat(closed).isEqualTo(1);
  }

  @Test
  void withoutAnOutsideChangesBesideTheModelDoNotMatter() {
    policy =
        new LoadPolicy(
            new TrustConfig(List.of(Path.of("/")), Set.of(), List.of(), false),
            DesiredModels.only(Map.of()));
    policy.requireNamed(Map.of("m", ListedModel.in(model)));
    assertThat(load(() -> Files.createDirectories(root.resolve("other")), () -> {})).isNotNull();
    assertThat(read).containsExactly("own");
  }

  @Test
  void fileThatIsALinkForAMomentIsNotServed() {
    Path file = model.resolve("1/model.onnx");
    Path aside = root.resolve("aside");
    assertRefused(
        () -> {
          move(file, aside);
          Files.createSymbolicLink(file, outside.resolve("m/1/model.onnx"));
        },
        () -> move(aside, file));
  }

  @Test
  void folderThatIsALinkForAMomentIsNotServed() throws IOException {
    for (Path folder : List.of(model.resolve("1"), model, root.resolve("team"))) {
      read.clear();
      closed = 0;
      file(outside.resolve("team/m/1"), "secret");
      Path aside = root.resolve("aside");
      assertRefused(
          () -> {
            move(folder, aside);
            Files.createSymbolicLink(
                folder, outside.resolve("team").resolve(root.resolve("team").relativize(folder)));
          },
          () -> {
            Files.delete(folder);
            move(aside, folder);
          });
    }
  }

  @Test
  void linkThatLeadsElsewhereForAMomentIsNotServed() throws IOException {
    Path link = model.resolve("1/model.onnx");
    Path weights = Files.createDirectory(root.resolve("weights"));
    Path own = weights.resolve("model.onnx");
    file(weights, "own");
    Files.delete(link);
    Files.createSymbolicLink(link, own);
    assertRefused(
        () -> {
          Files.delete(link);
          Files.createSymbolicLink(link, outside.resolve("m/1/model.onnx"));
        },
        () -> {
          Files.delete(link);
          Files.createSymbolicLink(link, own);
        });
    read.clear();
    closed = 0;
    Path aside = root.resolve("aside");
    assertRefused(
        () -> {
          move(weights, aside);
          Files.createSymbolicLink(weights, outside.resolve("m/1"));
        },
        () -> {
          Files.delete(weights);
          move(aside, weights);
        });
  }

  @Test
  void ageOfAFolderIsThatOfItsLastChange() throws IOException {
    Instant before = Instant.now().minusSeconds(1);
    Files.writeString(model.resolve("1/more"), "x");
    FolderState state = FolderState.of(model.resolve("1"), List.of(root));
    assertThat(state.isOlderThan(before)).isFalse();
    assertThat(state.isOlderThan(Instant.now().plusSeconds(1))).isTrue();
  }

  @Test
  void othersMayUseTheFoldersAboveTheRoots() {
    assertThat(load(() -> Files.createFile(temp.resolve("of another")), () -> {})).isNotNull();
  }
}
