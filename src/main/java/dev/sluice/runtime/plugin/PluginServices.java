package dev.sluice.runtime.plugin;

import dev.sluice.extension.Converter;
import dev.sluice.extension.Extension;
import dev.sluice.extension.HttpHandler;
import dev.sluice.extension.Model;
import dev.sluice.extension.StreamingModel;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.lang.reflect.InvocationTargetException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the classes that a version's jars name, and makes one object of each. */
final class PluginServices {
  private final String where;
  private final ClassLoader classes;
  private final Map<Class<?>, Extension> made = new LinkedHashMap<>();

  /**
   * @param where the jars, for texts
   */
  PluginServices(String where, ClassLoader classes) {
    this.where = where;
    this.classes = classes;
  }

  /**
   * Makes the objects.
   *
   * @throws InferenceException with FAILED_PRECONDITION and a text for who wrote the code
   */
  PluginObjects make() {
    try {
      var objects =
          new PluginObjects(
              one(Model.class),
              one(StreamingModel.class),
              one(Converter.class),
              one(HttpHandler.class),
              List.copyOf(made.values()));
      objects.check(where);
      return objects;
    } catch (ServiceConfigurationError | LinkageError e) {
      throw failed(reason(e), e);
    }
  }

  private <T extends Extension> @Nullable T one(Class<T> service) {
    List<ServiceLoader.Provider<T>> named = ServiceLoader.load(service, classes).stream().toList();
    if (named.size() > 1) {
      String names = named.stream().map(p -> p.type().getName()).collect(Collectors.joining(", "));
      throw failed("META-INF/services names %s as %s; wanted one".formatted(names, name(service)));
    }
    return named.isEmpty() ? null : service.cast(object(named.getFirst().type()));
  }

  private Extension object(Class<? extends Extension> type) {
    Extension known = made.get(type);
    if (known != null) {
      return known;
    }
    try {
      Extension object = type.getConstructor().newInstance();
      made.put(type, object);
      return object;
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getCause() == null ? e : e.getCause();
      throw failed("the constructor of " + type.getName() + " threw " + thrown, thrown);
    } catch (ReflectiveOperationException e) {
      throw failed(type.getName() + " has no public constructor without parameters", e);
    }
  }

  private static String reason(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    if (cause instanceof UnsupportedClassVersionError) {
      return "it was compiled for another Java than this one, %s: %s"
          .formatted(Runtime.version().feature(), cause.getMessage());
    }
    return cause instanceof LinkageError ? cause.toString() : String.valueOf(failure.getMessage());
  }

  private static String name(Class<?> service) {
    return service.getSimpleName();
  }

  private InferenceException failed(String why) {
    return new InferenceException(ErrorCode.FAILED_PRECONDITION, where + ": " + why);
  }

  private InferenceException failed(String why, Throwable cause) {
    return new InferenceException(ErrorCode.FAILED_PRECONDITION, where + ": " + why, cause);
  }
}
