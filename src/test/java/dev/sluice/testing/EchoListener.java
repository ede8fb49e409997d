package dev.sluice.testing;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.EmptyProto;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.health.Liveness;
import dev.sluice.security.ListenerAccess;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.ListenerDispatcher;
import dev.sluice.transport.ListenerVerticle;
import dev.sluice.transport.brpc.BrpcDispatcher;
import dev.sluice.transport.brpc.BrpcProtocolHandler;
import dev.sluice.transport.connection.ConnectionCount;
import dev.sluice.transport.connection.ConnectionDrain;
import dev.sluice.transport.connection.ConnectionMemory;
import dev.sluice.transport.connection.RequestMemory;
import dev.sluice.transport.grpc.GrpcDispatcher;
import dev.sluice.transport.grpc.method.AuthorizedMethod;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import dev.sluice.transport.grpc.method.GrpcStreamMethod;
import dev.sluice.transport.http.HttpDispatcher;
import dev.sluice.transport.http.HttpExchange;
import dev.sluice.transport.http.HttpProtocolHandler;
import dev.sluice.transport.http.HttpRoute;
import dev.sluice.transport.http.HttpRoutes;
import dev.sluice.transport.http.HttpStatus;
import dev.sluice.transport.http.PathOperations;
import dev.sluice.transport.netty.ProtocolDetectionTransport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A listener on a free port without any model: answers every body under {@code /echo}, and every
 * message of {@code test.Echo/Echo}, with itself; {@code /landed} and {@code NativeBodies} do so
 * with bodies that were collected in native memory if they are large. {@code test.Echo/Fail} fails
 * as a bug would, {@code /error} and {@code test.Echo/Error} as the JVM does. Over brpc there is
 * {@code test.Echo/Hold} besides, whose calls wait for {@link #held}. {@code test.Echo/Stall} is a
 * stream that takes its first message, and never another.
 */
public final class EchoListener implements AutoCloseable {
  private final Vertx vertx;
  private final List<HttpConnection> connections = new CopyOnWriteArrayList<>();
  private final Held held = new Held();
  private final AtomicBoolean undescribed = new AtomicBoolean();
  private final Telemetry telemetry = Telemetry.unseen();
  private final MemoryBudget memory;
  private final int port;

  /** Opens a listener with these limits. */
  public EchoListener(LimitsConfig limits) {
    this(limits, Optional.empty());
  }

  /** Opens a listener with these limits, encrypted or not. */
  public EchoListener(LimitsConfig limits, Optional<TlsConfig> tls) {
    this(limits, tls, Transport.NIO);
  }

  /** Opens a listener with these limits, encrypted or not, on sockets of this kind. */
  public EchoListener(LimitsConfig limits, Optional<TlsConfig> tls, Transport sockets) {
    vertx = Vertx.builder().withTransport(new ProtocolDetectionTransport(sockets)).build();
    memory = new MemoryBudget(limits.memoryBudget());
    var context =
        new ListenerContext(
            vertx,
            limits,
            new ListenerAccess(ListenerConfig.DEFAULT, SecurityConfig.DEFAULT, List.of()),
            telemetry,
            System::nanoTime,
            new RequestMemory(
                memory, limits.connection().maxConnectionsPerPeer() > 0, System::nanoTime));
    HttpProtocolHandler http = new EchoHandler();
    GrpcProtocolHandler grpc = new EchoService(held, undescribed);
    var httpDispatcher = new HttpDispatcher(List.of(http), context, false);
    var grpcDispatcher = new GrpcDispatcher(List.of(grpc), context, () -> true, false);
    var front =
        new ListenerDispatcher() {
          @Override
          public void opened(HttpConnection connection) {
            connections.add(connection);
            httpDispatcher.opened(connection);
            grpcDispatcher.opened(connection);
          }

          @Override
          public void answer(HttpServerRequest request) {
            (grpcDispatcher.takes(request) ? grpcDispatcher : httpDispatcher).accept(request);
          }
        };
    ListenerConfig defaults = ListenerConfig.DEFAULT;
    var listener =
        new ListenerConfig(
            defaults.host(),
            -1,
            defaults.protocols(),
            defaults.v1(),
            defaults.metricsPath(),
            defaults.control(),
            false,
            tls);
    var verticle =
        new ListenerVerticle(
            listener,
            limits,
            new ConnectionCount(
                "test",
                limits.maxConnections(),
                limits.connection().maxConnectionsPerPeer(),
                new ConnectionMemory(limits.connectionMemory()),
                System::nanoTime),
            context.memory(),
            new ConnectionDrain(Duration.ofSeconds(5)),
            front,
            Optional.of(new BrpcDispatcher(List.of(new BrpcEcho(held)), context)));
    await(vertx.deployVerticle(verticle));
    port = verticle.port();
  }

  /** What requests hold. */
  public MemoryBudget memory() {
    return memory;
  }

  /** Has the next one fail who asks for the description of the service. */
  public void loseDescription() {
    undescribed.set(true);
  }

  /** The calls that wait. */
  public Held held() {
    return held;
  }

  /** Whether the listener's process can go on serving. */
  public Liveness liveness() {
    return telemetry.liveness();
  }

  /** All connections that were opened, as the server has them. */
  public List<HttpConnection> connections() {
    return connections;
  }

  public int port() {
    return port;
  }

  public String url() {
    return "http://localhost:" + port;
  }

  @Override
  public void close() {
    await(vertx.close());
    if (memory.held() != 0) {
      throw new AssertionError("requests still hold " + memory.held() + " bytes");
    }
  }

  private static <T> void await(Future<T> future) {
    future.toCompletionStage().toCompletableFuture().join();
  }

  private record EchoHandler() implements HttpProtocolHandler {
    /** Nothing here is control. */
    private static final PathOperations NONE =
        new PathOperations() {
          @Override
          public List<HttpRoute> routes() {
            return List.of();
          }

          @Override
          public Operation of(String path) {
            return Operation.INFER;
          }

          @Override
          public String template(String path) {
            return path;
          }
        };

    @Override
    public void mount(HttpRoutes routes) {
      routes.claim("/echo", NONE, EchoHandler::answer);
      routes.claim("/landed", NONE, EchoHandler::answerLanded);
      // What a face must not do: no operation is required.
      routes.claim("/unguarded", NONE, exchange -> exchange.json(200, Buffer.buffer("secret")));
      routes.claim("/unguarded/body", NONE, EchoHandler::takeBody);
      routes.claim(
          "/error",
          NONE,
          _ -> {
            throw new StackOverflowError();
          });
    }

    private static void answerLanded(HttpExchange exchange) {
      exchange.require(Operation.INFER);
      exchange
          .body(0, body -> Future.succeededFuture(landed(body)))
          .onSuccess(echo -> exchange.answer(200, "application/octet-stream", echo))
          .onFailure(failure -> exchange.json(500, Buffer.buffer(failure.getMessage())));
    }

    private static void takeBody(HttpExchange exchange) {
      exchange.body().onComplete(body -> exchange.json(500, Buffer.buffer("taken " + body)));
    }

    private static void answer(HttpExchange exchange) {
      exchange.require(Operation.INFER);
      exchange
          .body()
          .onSuccess(body -> exchange.answer(200, "application/octet-stream", buffer(body)))
          .onFailure(failure -> {
            var known = exchange.explain(failure);
            exchange.json(HttpStatus.of(known.code()), Buffer.buffer(known.getMessage()));
          });
    }
  }

  private record EchoService(Held held, AtomicBoolean undescribed) implements GrpcProtocolHandler {
    private static final ServiceDescriptor DESCRIPTOR = describe();

    private static ServiceDescriptor describe() {
      var method = MethodDescriptorProto.newBuilder().setName("Echo");
      method.setInputType("google.protobuf.Empty").setOutputType("google.protobuf.Empty");
      var file = FileDescriptorProto.newBuilder().setName("echo.proto").setPackage("test");
      file.addDependency("google/protobuf/empty.proto");
      file.addServiceBuilder().setName("Echo").addMethod(method);
      try {
        return FileDescriptor.buildFrom(
                file.build(), new FileDescriptor[] {EmptyProto.getDescriptor()})
            .findServiceByName("Echo");
      } catch (DescriptorValidationException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public String service() {
      return "test.Echo";
    }

    @Override
    public ServiceDescriptor descriptor() {
      if (undescribed.getAndSet(false)) {
        throw new IllegalStateException("the description is lost");
      }
      return DESCRIPTOR;
    }

    @Override
    public Map<String, AuthorizedMethod<GrpcMethod>> methods() {
      return Map.of(
          "Echo", infer((_, message) -> Future.succeededFuture(buffer(message))),
          "Landed", infer(new NativeBodies()),
          "Hold", infer(held),
          "Error",
              infer((_, _) -> {
                throw new StackOverflowError();
              }),
          "Fail", infer((_, _) -> Future.failedFuture(new IllegalStateException("secret detail"))));
    }

    private static AuthorizedMethod<GrpcMethod> infer(GrpcMethod method) {
      return AuthorizedMethod.unary(Operation.INFER, method);
    }

    @Override
    public Map<String, AuthorizedMethod<GrpcStreamMethod>> streams() {
      return Map.of("Stall", AuthorizedMethod.stream(Operation.INFER, _ -> new Stalled()));
    }
  }

  private record Stalled() implements GrpcStreamMethod.Messages {
    @Override
    public Future<?> take(Body message) {
      return Promise.promise().future();
    }

    @Override
    public void end() {
      // The first message is never done with.
    }
  }

  private record BrpcEcho(Held held) implements BrpcProtocolHandler {
    @Override
    public String service() {
      return "test.Echo";
    }

    @Override
    public Map<String, AuthorizedMethod<GrpcMethod>> methods() {
      return new EchoService(held, new AtomicBoolean()).methods();
    }
  }

  /** Calls that are answered with their message when the test says so. */
  public static final class Held implements GrpcMethod {
    private final BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>();
    private final Semaphore left = new Semaphore(0);

    private record Waiting(Promise<Buffer> answer, Buffer message, Context callerContext) {}

    @Override
    public Future<Buffer> answer(GrpcCall call, Body message) {
      Promise<Buffer> answer = Promise.promise();
      call.onCancel(left::release);
      waiting.add(new Waiting(answer, buffer(message), Vertx.currentContext()));
      return answer.future();
    }

    /** Waits for the call that came first of those that wait, and answers it. */
    public void release() throws InterruptedException {
      Waiting first = waiting.take();
      first.callerContext().runOnContext(_ -> first.answer().complete(first.message()));
    }

    /** Waits until so many calls wait. */
    public void awaitCalls(int count) throws InterruptedException {
      List<Waiting> seen = new ArrayList<>();
      while (seen.size() < count) {
        seen.add(waiting.take());
      }
      waiting.addAll(seen);
    }

    /** Waits until the clients of so many calls have left. */
    public void awaitDisconnected(int count) throws InterruptedException {
      left.acquire(count);
    }
  }

  /** Takes messages with a large first field in native memory. */
  private record NativeBodies() implements GrpcMethod {
    @Override
    public List<int[]> tensorPaths() {
      return List.of(new int[] {10});
    }

    @Override
    public Future<Buffer> answer(GrpcCall call, Body message) {
      return Future.succeededFuture(landed(message));
    }
  }

  private static Buffer landed(Body body) {
    Body copy = body.onHeap();
    if (copy.length() > 0 && copy.bytes()[copy.offset()] == '!') {
      throw new IllegalStateException("a face that fails");
    }
    return buffer(copy);
  }

  private static Buffer buffer(Body body) {
    return Buffers.wrap(body.bytes(), body.offset(), body.length());
  }
}
