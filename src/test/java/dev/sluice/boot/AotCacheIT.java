package dev.sluice.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache that {@code bin/sluice aot-cache} makes, in a copy of the distribution. */
class AotCacheIT {
  private static final Path BUILT = Path.of("target/sluice").toAbsolutePath();
  private static final Path CLASSES = Path.of("target/classes").toAbsolutePath();
  private static final String IN_USE = "Using AOT-linked classes: true";
  private static final String NOT_IN_USE = "starts without the AOT cache";

  @TempDir private Path home;

  @Test
  void aStartUsesTheCacheAndOneThatItDoesNotFitGoesOnWithoutIt() throws Exception {
    unpack();
    assertThat(serve("-Xlog:aot=info")).as("no cache yet").doesNotContain(IN_USE, NOT_IN_USE);

    assertThat(run("", "aot-cache")).contains("sluice.aot: ").doesNotContainIgnoringCase("error");
    assertThat(home.resolve("lib")).isDirectoryNotContaining("glob:**/sluice.aot.*");
    assertThat(serve("-Xlog:aot=info -Xlog:class+load=info"))
        .contains(IN_USE, "picocli.CommandLine source: shared objects file")
        .doesNotContain(NOT_IN_USE);
    assertThat(serve("-Xmx127m -XX:+UseSerialGC"))
        .as("another heap and another collector")
        .doesNotContain(NOT_IN_USE);

    assertUnused(serve("-XX:-UseCompactObjectHeaders"));
    Path jar = home.resolve("lib/sluice-test.jar");
    FileTime made = Files.getLastModifiedTime(jar);
    Files.setLastModifiedTime(jar, FileTime.fromMillis(made.toMillis() + 5_000));
    assertUnused(serve(""));
    Files.setLastModifiedTime(jar, made);
    Path other = Files.copy(jar, home.resolve("lib/zz.jar"));
    assertUnused(serve(""));
    Files.delete(other);
    assertThat(serve("")).doesNotContain(NOT_IN_USE);
    try (var cache = FileChannel.open(home.resolve("lib/sluice.aot"), StandardOpenOption.WRITE)) {
      cache.truncate(cache.size() / 2);
    }
    assertUnused(serve(""));
  }

  /** What it leads to is no part of the folder that is deleted. */
  @AfterEach
  void unlink() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("lib"))) {
      for (Path file : files.filter(Files::isSymbolicLink).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void assertUnused(String printed) {
    assertThat(printed)
        .containsOnlyOnce(NOT_IN_USE)
        .contains(" listens on")
        .doesNotContain("[error]", "[warning]", "ERROR", "WARN");
  }

  private void unpack() throws Exception {
    Files.createDirectories(home.resolve("bin"));
    Files.createDirectories(home.resolve("lib"));
    Files.createDirectories(home.resolve("models"));
    Files.copy(Path.of("src/dist/bin/sluice"), home.resolve("bin/sluice"));
    // The distribution's jars are put together later than tests run.
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path jar = home.resolve("lib").resolve(Path.of(entry).getFileName().toString());
      if (entry.endsWith(".jar") && Files.notExists(jar)) {
        Files.createSymbolicLink(jar, Path.of(entry).toAbsolutePath());
      }
    }
    rewriteCommandLineJar();
    String own = home.resolve("lib/sluice-test.jar").toString();
    assertThat(
            ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(System.out, System.err, "cf", own, "-C", CLASSES.toString(), "."))
        .isZero();
    Files.createSymbolicLink(home.resolve("lib/native"), BUILT.resolve("lib/native"));
  }

  /** What the build does with the distribution's; a second time changes nothing. */
  private void rewriteCommandLineJar() throws Exception {
    Path jar;
    try (Stream<Path> files = Files.list(home.resolve("lib"))) {
      jar =
          files
              .filter(file -> file.getFileName().toString().startsWith("picocli-"))
              .findFirst()
              .orElseThrow();
    }
    Path published = jar.toRealPath();
    Files.delete(jar);
    Files.copy(published, jar);
    raiseClasses(jar);
    byte[] rewritten = Files.readAllBytes(jar);
    raiseClasses(jar);
    assertThat(jar).hasBinaryContent(rewritten);
  }

  private void raiseClasses(Path jar) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
    Process process =
        new ProcessBuilder(java, "src/build/java/StackMaps.java", jar.toString())
            .inheritIO()
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Serves until it says that it listens, and returns all that it printed. */
  private String serve(String flags) throws IOException, InterruptedException {
    Process server = start(flags, "serve", "--models", home + "/models", "--listen", "127.0.0.1:0");
    var printed = new StringBuilder();
    try (var lines = server.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        printed.append(line).append('\n');
        if (line.contains(" listens on")) {
          server.toHandle().destroy(); // unlike destroy(), which closes the stream
        }
      }
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      server.destroyForcibly();
    }
    return printed.toString();
  }

  private String run(String flags, String... arguments) throws IOException, InterruptedException {
    Process process = start(flags, arguments);
    try {
      String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(printed).isZero();
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }

  private Process start(String flags, String... arguments) throws IOException {
    List<String> command =
        Stream.concat(Stream.of("sh", home + "/bin/sluice"), Stream.of(arguments)).toList();
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("SLUICE_JAVA_OPTS", flags);
    builder.environment().put("SLUICE_SHUTDOWN_GRACE_PERIOD", "0s");
    return builder.start();
  }
}
