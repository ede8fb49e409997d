package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.PolicyConfig.Role;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.AnyListenerClient;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RawHttp2;
import dev.sluice.testing.RawHttp2.Frame;
import dev.sluice.testing.RunningServer;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who comes by a Unix domain socket is known by user and group, if a rule asks for one. */
class UnixPeersIT {
  private static final String LOAD = "/v2/repository/models/half_plus_two/load";
  private static final String RELOAD = "tensorflow.serving.ModelService/HandleReloadConfigRequest";

  @TempDir private Path folder;
  private Path socket;
  private long uid;
  private long gid;

  @BeforeEach
  void findOut() throws IOException {
    socket = folder.resolve("s");
    uid = ((Number) Files.getAttribute(folder, "unix:uid")).longValue();
    gid = ((Number) Files.getAttribute(folder, "unix:gid")).longValue();
  }

  /** Gives control to an identity, and inference to everybody who is authenticated. */
  private RunningServer start(String identity) {
    var rules =
        List.of(
            rule("anonymous", Role.METADATA),
            rule("authenticated", Role.INFERENCE),
            rule(identity, Role.CONTROL));
    return RunningServer.start(
        SluiceConfig.DEFAULT
            .with(
                List.of(ListenerConfig.DEFAULT.onSocket(socket)),
                RepositoryConfig.of(
                    new DesiredModels(Path.of("src/sample/models"), Map.of()), Duration.ZERO))
            .with(new SecurityConfig(rules)));
  }

  private static PolicyConfig rule(String identity, Role role) {
    return new PolicyConfig(List.of(identity), Set.of(role), List.of(), List.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"uid:%d", "gid:%2$d"})
  void theRightUserOrGroupMayControl(String form) throws IOException {
    try (var _ = start(form.formatted(uid, gid));
        var loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        var grpc = grpc(loop);
        var brpc = new BrpcClient(socket)) {
      assertThat(AnyListenerClient.ask(socket, "POST", LOAD, "{}")).doesNotStartWith("HTTP/1.1 40");
      assertThat(grpc.call(RELOAD).getCode()).isNotEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(online(brpc).errorCode()).isZero();
    }
  }

  @Test
  void anotherUserMayNot() throws IOException {
    try (var _ = start("uid:" + (uid + 1));
        var loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        var grpc = grpc(loop);
        var brpc = new BrpcClient(socket)) {
      String name = "'uid:" + uid + "'";
      assertThat(AnyListenerClient.ask(socket, "POST", LOAD, "{}"))
          .startsWith("HTTP/1.1 403 ")
          .contains(name);
      assertThat(grpc.call(RELOAD).getDescription()).contains(name);
      assertThat(online(brpc).errorText()).contains(name);
    }
  }

  @Test
  void aUserIsNotAuthenticatedSinceAProxyHasOneToo() throws IOException {
    try (var _ = start("uid:" + uid)) {
      assertThat(
              AnyListenerClient.ask(
                  socket, "POST", "/v1/models/half_plus_two:predict", "{\"instances\":[2.0]}"))
          .startsWith("HTTP/1.1 403 ");
    }
  }

  /** Some proxies send the host twice; what it is counts for nothing here. */
  @ParameterizedTest
  @ValueSource(strings = {"sluice.example", "/tmp/sluice.sock", "localhost"})
  void aHostThatIsSaidTwiceByHttp2IsOne(String host) throws IOException {
    List<String> head = List.of(":method", "GET", ":scheme", "http", ":path", "/v2");
    try (var _ = start("uid:" + uid);
        var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      List<String> hosts = new ArrayList<>(head);
      hosts.addAll(List.of(":authority", host, "host", host));
      Channels.newOutputStream(channel)
          .write(
              RawHttp2.joined(
                  RawHttp2.PREFACE,
                  RawHttp2.SETTINGS,
                  RawHttp2.head(RawHttp2.END_STREAM, 1, hosts)));
      var frames = new DataInputStream(Channels.newInputStream(channel));
      Frame answer = Frame.read(frames);
      while (answer.type() != RawHttp2.HEADERS && answer.type() != RawHttp2.RST_STREAM) {
        answer = Frame.read(frames);
      }
      assertThat(answer.type()).isEqualTo(RawHttp2.HEADERS);
      assertThat(answer.payload()).as("HPACK's 200").contains((byte) 0x88);
    }
  }

  private static BrpcClient.Answer online(BrpcClient client) throws IOException {
    return client.ask(
        new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Online", 1), new byte[0]);
  }

  private RawGrpc grpc(MultiThreadIoEventLoopGroup loop) {
    return new RawGrpc(
        NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toString()))
            .eventLoopGroup(loop)
            .channelType(EpollDomainSocketChannel.class)
            .overrideAuthority("localhost")
            .usePlaintext()
            .build());
  }
}
