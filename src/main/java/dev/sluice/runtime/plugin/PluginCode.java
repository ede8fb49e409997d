package dev.sluice.runtime.plugin;

import dev.sluice.extension.Converter;
import dev.sluice.extension.Extension;
import dev.sluice.extension.HttpHandler;
import dev.sluice.extension.Model;
import dev.sluice.extension.Setup;
import dev.sluice.extension.StreamingModel;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugin of one version: its classes, with a loader of their own, and an object of each class
 * that is named as a service.
 *
 * <p>Owner: the caller that opened it closes it, when no call is under way.
 */
public final class PluginCode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PluginCode.class);

  private final URLClassLoader classes;
  private final PluginObjects objects;
  private final List<Extension> opened = new ArrayList<>();
  private final Runnable closed;

  private PluginCode(URLClassLoader classes, PluginObjects objects, Runnable closed) {
    this.closed = closed;
    this.classes = classes;
    this.objects = objects;
  }

  /** Returns the jars that lie in a version's folder; none if it is a file. Blocks. */
  public static List<Path> jarsIn(Path folder) {
    return Files.isDirectory(folder) ? jars(folder) : List.of();
  }

  private static List<Path> jars(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(PluginCode::isJar).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isJar(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".jar") && !name.startsWith(".") && Files.isRegularFile(file);
  }

  /**
   * Loads the classes, makes the objects and opens them. Blocks.
   *
   * @param closed runs when no call of the plugin will come any more, or it could not be opened
   * @throws InferenceException with FAILED_PRECONDITION and a text for who wrote the code
   */
  public static PluginCode open(Setup setup, Runnable closed) {
    try {
      return load(setup, closed);
    } catch (RuntimeException | Error e) {
      closed.run();
      throw e;
    }
  }

  private static PluginCode load(Setup setup, Runnable closed) {
    List<Path> jars = jars(setup.folder());
    String where = jars.stream().map(Path::toString).collect(Collectors.joining(", "));
    var classes =
        new URLClassLoader(
            "model-" + setup.model() + "-" + setup.version(),
            jars.stream().map(PluginCode::url).toArray(URL[]::new),
            new ApiClassLoader(PluginCode.class.getClassLoader()));
    try {
      var code = new PluginCode(classes, new PluginServices(where, classes).make(), closed);
      code.open(where, setup);
      return code;
    } catch (RuntimeException | Error e) {
      closeClasses(classes);
      throw e;
    }
  }

  private static URL url(Path jar) {
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void open(String where, Setup setup) {
    for (Extension object : objects.all()) {
      try {
        opened.add(object);
        inside(() -> {
          object.open(setup);
          return object;
        });
      } catch (Throwable e) {
        closeObjects();
        throw new InferenceException(
            ErrorCode.FAILED_PRECONDITION,
            "%s: %s could not be opened: %s"
                .formatted(where, object.getClass().getName(), PluginFailure.text(e)),
            e);
      }
    }
  }

  /** The plugin's work, on this thread. */
  interface Inside<T> {
    /** Calls the plugin; whatever it throws is caught by the caller. */
    T run() throws Exception;
  }

  /** Runs a plugin in its expected environment: what it looks for by name is found in its jars. */
  <T> T inside(Inside<T> work) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(classes);
    try {
      return work.run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Calls a plugin on this thread, before any request. */
  public <T> T ask(java.util.concurrent.Callable<T> question) {
    try {
      return inside(question::call);
    } catch (Throwable e) {
      throw PluginFailure.of(e);
    }
  }

  /** Returns the unary model of the jar, if it has one. */
  public Optional<Model> model() {
    return Optional.ofNullable(objects.model());
  }

  /** Returns the streaming model of the jar, if it has one. */
  public Optional<StreamingModel> streaming() {
    return Optional.ofNullable(objects.streaming());
  }

  /** Returns the converter around another model, if the jar has one. */
  public Optional<Converter> converter() {
    return Optional.ofNullable(objects.converter());
  }

  /** Returns the handler of HTTP requests, if the jar has one. */
  public Optional<HttpHandler> handler() {
    return Optional.ofNullable(objects.handler());
  }

  ClassLoader classes() {
    return classes;
  }

  /**
   * Closes the plugins, in reverse order, and their class loader. Idempotent: closing again does
   * nothing.
   */
  @Override
  public void close() {
    closeObjects();
    closeClasses(classes);
    closed.run();
  }

  private void closeObjects() {
    for (Extension object : opened.reversed()) {
      try {
        inside(() -> {
          object.close();
          return object;
        });
      } catch (Throwable e) {
        LOG.atWarn()
            .addKeyValue("class", object.getClass().getName())
            .setCause(e)
            .log("plugin could not be closed");
      }
    }
    opened.clear();
  }

  private static void closeClasses(URLClassLoader classes) {
    try {
      classes.close();
    } catch (IOException e) {
      LOG.warn("jars could not be closed", e);
    }
  }
}
