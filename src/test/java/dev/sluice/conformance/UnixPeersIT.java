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
import dev.sluice.testing.RunningServer;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
