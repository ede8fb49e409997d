package dev.sluice.serving.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class UploadFolderTest {
  private static final Map<String, byte[]> FILES = Map.of("1/model.onnx", "m".getBytes(UTF_8));

  @TempDir Path parent;

  /** Another process, which writes a folder, says where, and lives until it is killed. */
  static final class Neighbour {
    public static void main(String[] ignored) throws IOException {
      System.out.println(UploadFolder.write(FILES).files());
      System.in.read();
    }
  }

  private Process neighbour() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.io.tmpdir=" + parent,
            "-cp",
            System.getProperty("java.class.path"),
            Neighbour.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @Test
  void folderOfALivingProcessIsLeftAndThatOfOneThatWasKilledIsDeleted() throws Exception {
    Process neighbour = neighbour();
    try {
      Path files = Path.of(neighbour.inputReader().readLine());
      Instant later = Instant.now().plus(Duration.ofDays(1));
      assertThat(UploadFolder.deleteAbandoned(parent, later)).isZero();
      assertThat(files.resolve("1/model.onnx")).hasContent("m");
      neighbour.destroyForcibly().waitFor();
      assertThat(UploadFolder.deleteAbandoned(parent, Instant.now())).isOne();
      assertThat(files.resolve("..")).doesNotExist();
    } finally {
      neighbour.destroyForcibly();
    }
  }

  @Test
  void folderOfThisProcessIsLeftAndStaysLocked() throws Exception {
    UploadFolder ours = UploadFolder.write(FILES);
    try {
      UploadFolder.deleteAbandoned(Path.of(System.getProperty("java.io.tmpdir")), Instant.now());
      assertThat(ours.files().resolve("1/model.onnx")).exists();
    } finally {
      ours.delete();
    }
    assertThat(ours.files()).doesNotExist();
  }

  @Test
  void folderThatIsAboutToGetItsLockIsLeftUntilItIsOld() throws IOException {
    Path folder = own("sluice-model-1");
    assertThat(UploadFolder.deleteAbandoned(parent, Instant.now())).isZero();
    assertThat(UploadFolder.deleteAbandoned(parent, Instant.now().plus(Duration.ofHours(1))))
        .isOne();
    assertThat(folder).doesNotExist();
  }

  @Test
  void whatIsNotOursIsLeft() throws IOException {
    Path other = own("other-model-1");
    Path open = own("sluice-model-open");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path target = Files.createDirectory(parent.resolve("target"));
    Files.writeString(target.resolve("kept"), "kept");
    Files.createSymbolicLink(parent.resolve("sluice-model-link"), target);
    Path file = Files.createFile(parent.resolve("sluice-model-file"));
    UploadFolder.deleteAbandoned(parent, Instant.now().plus(Duration.ofDays(1)));
    assertThat(other).exists();
    assertThat(open).exists();
    assertThat(target.resolve("kept")).exists();
    assertThat(file).exists();
  }

  @Test
  void linksWithinAFolderAreDeletedAndNotFollowed() throws IOException {
    Path target = Files.createDirectory(parent.resolve("target"));
    Files.writeString(target.resolve("kept"), "kept");
    Path folder = own("sluice-model-2");
    Files.createSymbolicLink(folder.resolve("link"), target);
    Files.createSymbolicLink(folder.resolve(".lock"), target.resolve("kept"));
    UploadFolder.deleteAbandoned(parent, Instant.now().plus(Duration.ofDays(1)));
    assertThat(target.resolve("kept")).hasContent("kept");
  }

  private Path own(String name) throws IOException {
    return Files.createDirectory(
        parent.resolve(name),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }
}
