package dev.sluice.conformance.tfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.KeptConnection;
import dev.sluice.testing.TestModels;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code tensorflow_model_server} as a process, asked by many clients while things happen to it.
 */
class ServingProcessIT {
  private static final Path MODELS = Path.of("src/test/models/tfs").toAbsolutePath();
  private static final String MODEL = "half_plus_two";
  private static final int CLIENTS = 4;
  private static final int ANSWERS_BEFORE = 200;
  private static final String BODY = "{\"instances\":[1.0,2.0]}";
  private static final String ANSWER = "{\"predictions\":[2.5,3.0]}";

  private final int grpc = ChildServer.freePort();
  private final int rest = ChildServer.freePort();
  private final CountDownLatch answered = new CountDownLatch(ANSWERS_BEFORE);
  private final AtomicBoolean enough = new AtomicBoolean();

  @TempDir private Path folder;

  private ChildServer serve(String... flags) {
    return ChildServer.start(
        Stream.concat(
                Stream.of("tensorflow_model_server", "--port=" + grpc, "--rest_api_port=" + rest),
                Stream.of(flags))
            .toArray(String[]::new));
  }

  @Test
  void sigtermUnderLoadLosesNoAnswer() throws Exception {
    try (var server = serve("--model_name=" + MODEL, "--model_base_path=" + MODELS.resolve(MODEL));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      server.awaitModel(MODEL + "/123");
      List<Future<Boolean>> clients = clients(threads);
      assertThat(answered.await(1, TimeUnit.MINUTES)).isTrue();
      server.terminate();
      for (Future<Boolean> client : clients) {
        assertThat(client.get(1, TimeUnit.MINUTES)).isFalse();
      }
      assertThat(server.exitCode()).isZero();
    }
  }

  @Test
  void noRequestFailsWhileVersionsAndTheModelConfigFileChange() throws Exception {
    Path config = folder.resolve("models.config");
    addVersion(1);
    list(config, MODEL);
    try (var server =
            serve(
                "--model_config_file=" + config,
                "--model_config_file_poll_wait_seconds=1",
                "--file_system_poll_wait_seconds=1");
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      server.awaitModel(MODEL + "/1");
      List<Future<Boolean>> clients = clients(threads);
      addVersion(2);
      server.awaitLine("unloaded model=" + MODEL + "/1");
      list(config, MODEL, "half_plus_three");
      server.awaitModel("half_plus_three/123");
      list(config, MODEL);
      server.awaitLine("unloaded model=half_plus_three/123");
      assertThat(answered.await(1, TimeUnit.MINUTES)).isTrue();
      enough.set(true);
      for (Future<Boolean> client : clients) {
        assertThat(client.get(1, TimeUnit.MINUTES)).isTrue();
      }
    }
  }

  /** Clients send the path as the authority: grpc-java as it is, those of C percent-encoded. */
  @ParameterizedTest
  @ValueSource(strings = {"localhost", "/tmp/grpc.sock", "tmp%2Fgrpc.sock"})
  void grpcIsAnsweredOnAUnixSocketWithoutAPort(String authority) throws Exception {
    Path socket = folder.resolve("grpc.sock");
    try (var loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        var server =
            ChildServer.start(
                "tensorflow_model_server",
                "--port=0",
                "--grpc_socket_path=" + socket,
                "--model_name=" + MODEL,
                "--model_base_path=" + MODELS.resolve(MODEL))) {
      server.awaitModel(MODEL + "/123");
      ManagedChannel channel =
          NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toString()))
              .eventLoopGroup(loop)
              .channelType(EpollDomainSocketChannel.class)
              .overrideAuthority(authority)
              .usePlaintext()
              .build();
      try {
        predict(channel);
      } finally {
        channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      }
    }
  }

  private void addVersion(int number) throws IOException {
    Path copy = folder.resolve("copy");
    Path from = MODELS.resolve(MODEL).resolve("00000123");
    TestModels.copy(from, copy);
    Path model = Files.createDirectories(folder.resolve(MODEL));
    Files.move(copy, model.resolve(String.valueOf(number)), StandardCopyOption.ATOMIC_MOVE);
  }

  private void list(Path config, String... models) throws IOException {
    var text = new StringBuilder("model_config_list {\n");
    for (String model : models) {
      Path path = (model.equals(MODEL) ? folder : MODELS).resolve(model);
      text.append(
          "config { name: '%s' base_path: '%s' model_platform: 'tensorflow' }\n"
              .formatted(model, path));
    }
    Path written = Files.writeString(folder.resolve("written"), text.append('}'));
    Files.move(written, config, StandardCopyOption.ATOMIC_MOVE);
  }

  private List<Future<Boolean>> clients(ExecutorService threads) {
    List<Future<Boolean>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(threads.submit(this::askByRest));
      clients.add(threads.submit(this::askByGrpc));
    }
    return clients;
  }

  /** Asks until told, or until nobody is let in any more. Returns whether it was told. */
  private boolean askByRest() throws IOException {
    for (var endpoint = enter(); endpoint.isPresent(); endpoint = enter()) {
      try (KeptConnection connection = endpoint.get()) {
        while (!enough.get() && connection.keeps()) {
          predict(connection);
        }
      }
      if (enough.get()) {
        return true;
      }
    }
    return false;
  }

  /**
   * A connection on which one request was answered. What is sent into one that the server never
   * took, because it had closed its port, is not answered.
   */
  private Optional<KeptConnection> enter() {
    try {
      KeptConnection connection = KeptConnection.open(rest);
      predict(connection);
      return Optional.of(connection);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private void predict(KeptConnection connection) throws IOException {
    assertThat(connection.post("/v1/models/" + MODEL + ":predict", BODY)).isEqualTo(ANSWER);
    answered.countDown();
  }

  private boolean askByGrpc() throws InterruptedException {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", grpc).usePlaintext().build();
    var watch = new ConnectionWatch();
    try {
      while (!enough.get()) {
        predict(ClientInterceptors.intercept(channel, watch));
      }
      return true;
    } catch (StatusRuntimeException e) {
      assertThat(watch.wasConnected()).as(e.getMessage()).isFalse();
      return false;
    } finally {
      channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
  }

  private void predict(Channel channel) {
    assertThat(
            PredictionServiceGrpc.newBlockingStub(channel)
                .predict(request())
                .getOutputsOrThrow("y")
                .getFloatValList())
        .containsExactly(2.5f, 3.0f);
    answered.countDown();
  }

  private static PredictRequest request() {
    var two = TensorShapeProto.newBuilder().addDim(TensorShapeProto.Dim.newBuilder().setSize(2));
    var x =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_FLOAT)
            .setTensorShape(two)
            .addFloatVal(1)
            .addFloatVal(2);
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName(MODEL))
        .putInputs("x", x.build())
        .build();
  }

  /** Tells calls that no connection took from those that were lost on one. For one thread. */
  private static final class ConnectionWatch implements ClientInterceptor {
    private volatile boolean connected;

    /** Whether the last call was sent. */
    boolean wasConnected() {
      return connected;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<A> listener, Metadata headers) {
          super.start(
              new SimpleForwardingClientCallListener<>(listener) {
                @Override
                public void onClose(Status status, Metadata trailers) {
                  connected = getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) != null;
                  super.onClose(status, trailers);
                }
              },
              headers);
        }
      };
    }
  }
}
