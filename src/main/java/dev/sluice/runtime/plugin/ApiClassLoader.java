package dev.sluice.runtime.plugin;

/**
 * Class loader of plugins: besides their jars they see the JDK, and of the server only its API. So
 * the server's libraries and the jars' never meet. Thread-safe.
 */
final class ApiClassLoader extends ClassLoader {
  private static final String CODE = "dev.sluice.extension.";
  private static final String TENSORS = "dev.sluice.tensor.";

  private final ClassLoader server;

  ApiClassLoader(ClassLoader server) {
    super("sluice-api", getPlatformClassLoader());
    this.server = server;
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (name.startsWith(CODE) || name.startsWith(TENSORS)) {
      return server.loadClass(name);
    }
    throw new ClassNotFoundException(name);
  }
}
