package dev.sluice.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles a plugin as a user would and packs it into a jar with the services it names. */
public final class PluginJar {
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Map<String, String> services = new LinkedHashMap<>();
  private final List<String> options = new ArrayList<>();

  /** A class without a package. */
  public PluginJar source(String name, String text) {
    sources.put(name, text);
    return this;
  }

  /** A class without a package from {@code src/test/plugins}. */
  public PluginJar file(String name) {
    try {
      return source(name, Files.readString(Path.of("src/test/plugins", name + ".java")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Names a class as a service of {@code dev.sluice.extension}. */
  public PluginJar service(String service, String classes) {
    services.put("META-INF/services/dev.sluice.extension." + service, classes + "\n");
    return this;
  }

  /** Says something else to the compiler. */
  public PluginJar option(String... more) {
    options.addAll(List.of(more));
    return this;
  }

  /** Writes {@code model.jar} into a folder, which is made. */
  public Path into(Path folder) {
    return into(folder, _ -> true);
  }

  /** The same without some of the compiled classes. */
  public Path into(Path folder, java.util.function.Predicate<String> keep) {
    try {
      Path classes = Files.createTempDirectory("own-code");
      try {
        compile(classes);
        Files.createDirectories(folder);
        return pack(classes, folder.resolve("model.jar"), keep);
      } finally {
        delete(classes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  private void compile(Path classes) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    var messages = new StringWriter();
    List<String> all = new ArrayList<>(List.of("-cp", "target/classes", "-d", classes.toString()));
    all.addAll(options);
    List<Source> units =
        sources.entrySet().stream().map(e -> new Source(e.getKey(), e.getValue())).toList();
    if (!compiler.getTask(messages, null, null, all, null, units).call()) {
      throw new AssertionError("own code does not compile: " + messages);
    }
  }

  private Path pack(Path classes, Path jar, java.util.function.Predicate<String> keep)
      throws IOException {
    try (var out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> compiled = Files.list(classes)) {
      for (Path file : compiled.sorted().toList()) {
        if (keep.test(file.getFileName().toString())) {
          put(out, file.getFileName().toString(), Files.readAllBytes(file));
        }
      }
      for (var service : services.entrySet()) {
        put(out, service.getKey(), service.getValue().getBytes(UTF_8));
      }
    }
    return jar;
  }

  private static void put(JarOutputStream out, String name, byte[] bytes) throws IOException {
    out.putNextEntry(new JarEntry(name));
    out.write(bytes);
    out.closeEntry();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
