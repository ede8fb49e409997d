package dev.sluice.transport.brpc;

import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.MessageTurns;
import dev.sluice.transport.RequestIds;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcMethod;
import dev.sluice.transport.netty.DetectedProtocol;
import io.netty.channel.ChannelHandler;
import io.vertx.core.Context;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes the brpc calls of one event loop to the methods they name. */
public final class BrpcDispatcher implements DetectedProtocol {
  private static final byte[] MAGIC = "PRPC".getBytes(StandardCharsets.US_ASCII);

  private final Map<String, Map<String, AuthorizedMethod<GrpcMethod>>> services = new HashMap<>();
  private final ListenerContext context;
  private final RequestIds ids = new RequestIds();
  private @Nullable MessageTurns turns;

  public BrpcDispatcher(List<BrpcProtocolHandler> protocolHandlers, ListenerContext context) {
    this.context = context;
    for (BrpcProtocolHandler protocolHandler : protocolHandlers) {
      services.put(protocolHandler.service(), protocolHandler.methods());
    }
  }

  @Override
  @SuppressWarnings("MutableGetter")
  public byte[] firstBytes() {
    return MAGIC;
  }

  @Override
  public ChannelHandler open(Context connection, Runnable whole) {
    return new BrpcConnection(this, connection, whole);
  }

  /** Returns the state that all requests of the listener share. */
  ListenerContext context() {
    return context;
  }

  /**
   * Returns the turns of the event loop.
   *
   * @param later runs an action on it after {@link MessageTurns#TURN_MILLIS}
   */
  MessageTurns turns(Consumer<Runnable> later) {
    if (turns == null) {
      turns = new MessageTurns(later);
    }
    return turns;
  }

  String requestId(RpcMeta meta) {
    return ids.of(meta.requestId());
  }

  /**
   * Returns the method that a call names.
   *
   * @throws NoMethod if there is none
   */
  AuthorizedMethod<GrpcMethod> method(RpcMeta meta) {
    Map<String, AuthorizedMethod<GrpcMethod>> methods = services.get(meta.service());
    if (methods == null) {
      throw new NoMethod(
          BrpcError.NO_SERVICE,
          "unknown service '%s'; services: %s"
              .formatted(meta.service(), String.join(", ", services.keySet())));
    }
    AuthorizedMethod<GrpcMethod> method = methods.get(meta.method());
    if (method == null) {
      throw new NoMethod(
          BrpcError.NO_METHOD,
          "unknown method '%s' of service %s".formatted(meta.method(), meta.service()));
    }
    return method;
  }

  /** A call for something that is not served. */
  static final class NoMethod extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;

    NoMethod(int code, String message) {
      super(message, null, false, false);
      this.code = code;
    }

    int code() {
      return code;
    }
  }
}
