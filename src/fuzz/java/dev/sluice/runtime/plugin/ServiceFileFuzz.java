package dev.sluice.runtime.plugin;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Files in {@code META-INF/services} of a plugin, by the digit in front: 0 that of models, 1 of
 * streaming models, 2 of converters, 3 of handlers. Beside them is one class, a model.
 */
final class ServiceFileFuzz implements FuzzTarget {
  private static final List<String> SERVICES =
      List.of("Model", "StreamingModel", "Converter", "HttpHandler");

  private final Path folder = Files.createTempDirectory("sluice-fuzz");
  private final Path services = Files.createDirectories(folder.resolve("META-INF/services"));

  /** Loads the class once: what is loaded anew has branches that the fuzzer takes for new ones. */
  private final ClassLoader code;

  ServiceFileFuzz() throws IOException {
    Path classes = Files.createTempDirectory("sluice-fuzz");
    String name = FuzzedPlugin.class.getName().replace('.', '/') + ".class";
    Path file = classes.resolve(name);
    Files.createDirectories(file.getParent());
    try (InputStream bytes = getClass().getResourceAsStream("/" + name)) {
      Files.copy(Objects.requireNonNull(bytes), file);
    }
    var server = new ApiClassLoader(getClass().getClassLoader());
    code = new URLClassLoader(new URL[] {classes.toUri().toURL()}, server);
  }

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    Path file = services.resolve("dev.sluice.extension." + bytes.one(SERVICES));
    Files.write(file, bytes.rest());
    try (var classes = new URLClassLoader(new URL[] {folder.toUri().toURL()}, code)) {
      PluginObjects made =
          Rejection.request(() -> new PluginServices(folder.toString(), classes).make());
      if (made != null && !isFuzzedPlugin(made)) {
        throw new AssertionError("a class from elsewhere: " + made.all());
      }
    } finally {
      Files.delete(file);
    }
  }

  private static boolean isFuzzedPlugin(PluginObjects made) {
    return made.all().size() == 1
        && made.model() != null
        && made.model().getClass().getName().equals(FuzzedPlugin.class.getName());
  }
}
