package dev.sluice.repository;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;

/** Writes and removes model folders. Files are old unless the test says otherwise. */
final class ModelFiles {
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  static final Instant OLD = NOW.minus(Duration.ofHours(1));

  final Path root;
  private int writes;

  ModelFiles(Path root) {
    this.root = root;
  }

  /** Each file is a little newer than the one before, as files are. */
  Path write(String name, String content) {
    writes++;
    return write(name, content, OLD.plusMillis(writes));
  }

  Path write(String name, String content, Instant modified) {
    Path file = root.resolve(name);
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, content);
      Files.setLastModifiedTime(file, FileTime.from(modified));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return file;
  }

  /** Versions given by their folders, such as {@code digits/1}, each with an ONNX file. */
  void versions(String... folders) {
    for (String folder : folders) {
      write(folder + "/model.onnx", folder);
    }
  }

  Path folder(String name) {
    try {
      return Files.createDirectories(root.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void remove(String name) {
    try (Stream<Path> paths = Files.walk(root.resolve(name))) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void move(String from, String to) {
    move(root.resolve(from), root.resolve(to));
  }

  static void move(Path from, Path to) {
    try {
      Files.move(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
