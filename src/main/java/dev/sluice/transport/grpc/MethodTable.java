package dev.sluice.transport.grpc;

import dev.sluice.inference.access.Operation;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcMethod;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;
import io.netty.util.AsciiString;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The methods of the protocol handlers by their paths. Belongs to one event loop, and remembers the
 * method that was asked for last: most clients call one again and again. A path of no method is not
 * kept, since its length is the client's choice.
 */
final class MethodTable {
  private final Map<String, Unary> unary = new HashMap<>();
  private final Map<String, AuthorizedMethod<GrpcStreamMethod>> streams = new HashMap<>();
  private final Set<String> control = new HashSet<>();
  private @Nullable Unary last;

  /** A unary method, its path, and the operation that its caller must be allowed. */
  record Unary(String path, Operation operation, GrpcMethod method) {}

  /**
   * @throws IllegalStateException if two handlers serve the same method
   */
  MethodTable(List<GrpcProtocolHandler> protocolHandlers) {
    for (GrpcProtocolHandler protocolHandler : protocolHandlers) {
      String service = "/" + protocolHandler.service() + "/";
      protocolHandler
          .methods()
          .forEach((name, method) -> {
            String path = service + name;
            add(
                unary,
                path,
                method.operation(),
                new Unary(path, method.operation(), method.method()));
          });
      protocolHandler
          .streams()
          .forEach((name, method) -> add(streams, service + name, method.operation(), method));
    }
  }

  private <T> void add(Map<String, T> methods, String path, Operation operation, T method) {
    if (methods.put(path, method) != null) {
      throw new IllegalStateException("two protocols claim the method " + path);
    }
    if (operation.isControl()) {
      control.add(path);
    }
  }

  /**
   * Returns the unary method of a path, whose text is made only if it is another one than the last;
   * null if it is none.
   */
  @Nullable Unary unary(CharSequence path) {
    Unary found = last;
    if (found == null || !AsciiString.contentEquals(found.path, path)) {
      found = unary.get(path.toString());
      last = found == null ? last : found;
    }
    return found;
  }

  /** Returns the method with a stream of messages at a path; null if it is none. */
  @Nullable AuthorizedMethod<GrpcStreamMethod> stream(String path) {
    return streams.get(path);
  }

  /** Returns whether a method is called by this path. */
  boolean contains(String path) {
    return unary.containsKey(path) || streams.containsKey(path);
  }

  /** Returns whether the method of this path changes the server's state. */
  boolean isControl(String path) {
    return control.contains(path);
  }
}
