package dev.sluice.boot.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes signals of the operating system. The JDK shows one that does not end the process, or a
 * second one that does, in {@code sun.misc.Signal} alone: module jdk.unsupported, which promises
 * it. Reached by reflection, since the compiler warns of the name in a way that nothing silences.
 */
final class Signals {
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /**
   * Runs an action on a thread of its own whenever the signal comes, in place of what the JVM does.
   * Where signals are left to others, with {@code -Xrs} for one, nothing changes.
   *
   * @param name without SIG
   */
  @SuppressWarnings("ReferenceEquality") // A proxy is equal to itself alone.
  static void on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object taker =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "handle" -> {
                      action.run();
                      yield null;
                    }
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> "handler of SIG" + name;
                  });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), taker);
    } catch (InvocationTargetException e) {
      LOG.debug("SIG{} is not handled", name, e.getCause());
    } catch (ReflectiveOperationException e) {
      LOG.warn("SIG{} is not handled: {}", name, e.toString());
    }
  }
}
