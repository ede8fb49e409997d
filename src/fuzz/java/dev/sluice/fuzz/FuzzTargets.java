package dev.sluice.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The targets that there are: each file {@code src/fuzz/java/.../NAMEFuzz.java} is one. */
public final class FuzzTargets {
  private static final Path SOURCES = Path.of("src/fuzz/java");
  private static final Path CORPUS = Path.of("src/fuzz/corpus");
  private static final String SUFFIX = "Fuzz.java";

  private FuzzTargets() {}

  /** Returns their names, in order. */
  public static List<String> names() {
    return sources().stream()
        .map(file -> file.getFileName().toString())
        .map(name -> name.substring(0, name.length() - SUFFIX.length()))
        .sorted()
        .toList();
  }

  /** Returns a new target. */
  public static FuzzTarget of(String name) {
    Path source =
        sources().stream()
            .filter(file -> file.getFileName().toString().equals(name + SUFFIX))
            .findAny()
            .orElseThrow(() -> new IllegalArgumentException("no target " + name));
    String path = SOURCES.relativize(source).toString();
    String type = path.substring(0, path.length() - ".java".length()).replace('/', '.');
    try {
      Constructor<?> made = Class.forName(type).getDeclaredConstructor();
      made.setAccessible(true);
      return (FuzzTarget) made.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " is no target", e);
    }
  }

  /** Returns the folder of a target's kept inputs. */
  public static Path corpus(String name) {
    return CORPUS.resolve(name);
  }

  /** Returns the kept inputs of all targets. */
  public static List<Path> inputs() {
    return files(CORPUS);
  }

  private static List<Path> sources() {
    return files(SOURCES).stream().filter(file -> file.toString().endsWith(SUFFIX)).toList();
  }

  private static List<Path> files(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
