package dev.sluice.transport.grpc.method;

import dev.sluice.inference.access.Operation;
import java.util.HashMap;
import java.util.Map;

/**
 * A method and what it asks for.
 *
 * @param <T> the kind of method
 */
public record AuthorizedMethod<T>(T method, Operation operation) {
  /**
   * Joins the methods of a service with their operations.
   *
   * @param service for texts
   * @param operations by the methods' names
   * @throws IllegalStateException if a method has no operation: no policy could allow it
   */
  public static <T> Map<String, AuthorizedMethod<T>> all(
      String service, Map<String, T> methods, Map<String, Operation> operations) {
    Map<String, AuthorizedMethod<T>> guarded = new HashMap<>();
    methods.forEach((name, method) -> {
      Operation operation = operations.get(name);
      if (operation == null) {
        throw new IllegalStateException("no operation is named for the method " + service + name);
      }
      guarded.put(name, new AuthorizedMethod<>(method, operation));
    });
    return guarded;
  }
}
