package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.boot.cli.StartFailure;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.SocketAccess;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixSocketIT {
  @TempDir private Path folder;

  private RunningServer start(Path socket) {
    return start(ListenerConfig.DEFAULT.onSocket(socket));
  }

  private static RunningServer start(ListenerConfig listener) {
    return start(listener, DesiredModels.only(Map.of()));
  }

  private static RunningServer start(ListenerConfig listener, DesiredModels models) {
    return RunningServer.start(
        SluiceConfig.DEFAULT.with(List.of(listener), RepositoryConfig.of(models, Duration.ZERO)));
  }

  private static String get(Path socket, String path) throws IOException {
    try (var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      client.connect(UnixDomainSocketAddress.of(socket));
      String request = "GET " + path + " HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
      client.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
      return new String(Channels.newInputStream(client).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void everyRequestIsAnsweredAndOnlyTheOwnerMayAsk() throws IOException {
    Path socket = folder.resolve("s");
    try (var _ = start(socket)) {
      for (int i = 0; i < 10; i++) {
        assertThat(get(socket, "/v1/models")).startsWith("HTTP/1.1 200 OK");
      }
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
          .isEqualTo("rw-------");
    }
    assertThat(socket).doesNotExist();
  }

  @Test
  void anAnswerUnderWayIsSentToItsEndIfTheClientClosesItsDirection() throws IOException {
    Path socket = folder.resolve("s");
    Path models = folder.resolve("models");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    // More than the system's buffers of a connection take.
    String body = "{\"instances\":[1.5" + ",1.5".repeat(200_000) + "]}";
    String head =
        "POST /v1/models/half_plus_two:predict HTTP/1.1\r\nHost: here\r\nContent-Length: ";
    byte[] request = (head + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.UTF_8);
    try (var _ =
            start(ListenerConfig.DEFAULT.onSocket(socket), new DesiredModels(models, Map.of()));
        var client = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      Channels.newOutputStream(client).write(request);
      InputStream answer = Channels.newInputStream(client);
      assertThat(answer.read()).isEqualTo('H');
      client.shutdownOutput();
      assertThat(new String(answer.readAllBytes(), StandardCharsets.UTF_8).strip()).endsWith("}");
    }
  }

  @Test
  void theSocketOfAServerThatWasKilledIsReplaced() throws IOException {
    Path socket = folder.resolve("s");
    // Java leaves the file when it closes the socket, as a server does that is killed.
    try (var killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      killed.bind(UnixDomainSocketAddress.of(socket));
    }
    assertThat(socket).exists();
    try (var _ = start(socket)) {
      assertThat(get(socket, "/v2/health/live")).startsWith("HTTP/1.1 200 OK");
    }
  }

  @Test
  void aSocketInUseAndAFileOfAnotherKindStay() throws IOException {
    Path socket = folder.resolve("s");
    try (var _ = start(socket)) {
      assertThatThrownBy(() -> start(socket))
          .isInstanceOf(StartFailure.class)
          .hasMessage("unix:" + socket + " cannot be listened on: another server listens on it");
      assertThat(get(socket, "/v2/health/live")).startsWith("HTTP/1.1 200 OK");
    }
    Path file = Files.writeString(folder.resolve("file"), "precious");
    assertThatThrownBy(() -> start(file))
        .hasMessage(
            "unix:" + file + " cannot be listened on: the file is there already, and no socket");
    assertThat(file).hasContent("precious");
  }

  /** Also asks whenever a socket is there whether others could connect to it. */
  @Test
  void theSocketNeverExistsWithOtherPermissionsThanItsOwn() throws Exception {
    Path socket = folder.resolve("s");
    var stopped = new AtomicBoolean();
    Set<String> seen = ConcurrentHashMap.newKeySet();
    Thread watcher =
        Thread.ofPlatform()
            .start(() -> {
              while (!stopped.get()) {
                seen.addAll(socketsAnyoneFinds());
              }
            });
    try {
      for (int i = 0; i < 20; i++) {
        start(socket).close();
      }
    } finally {
      stopped.set(true);
      watcher.join();
    }
    assertThat(seen).isSubsetOf("rw-------");
  }

  /** The permissions of the sockets below the folder that are not in a private one. */
  private Set<String> socketsAnyoneFinds() {
    Set<String> found = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
        String permissions = PosixFilePermissions.toString(attributes.permissions());
        if (!attributes.isDirectory() || !permissions.equals("rwx------")) {
          found.add(permissions);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // Sockets and folders come and go while we look.
      return found;
    }
    return found;
  }

  @Test
  void aGroupMayBeLetIn() throws IOException {
    Path socket = folder.resolve("s");
    String group = Files.readAttributes(folder, PosixFileAttributes.class).group().getName();
    try (var _ = start(shared(socket, group))) {
      PosixFileAttributes attributes = Files.readAttributes(socket, PosixFileAttributes.class);
      assertThat(PosixFilePermissions.toString(attributes.permissions())).isEqualTo("rw-rw----");
      assertThat(attributes.group().getName()).isEqualTo(group);
      assertThat(get(socket, "/v2/health/live")).startsWith("HTTP/1.1 200 OK");
      assertThat(folder).isDirectoryNotContaining(Files::isDirectory);
    }
    assertThatThrownBy(() -> start(shared(socket, "no-such-group")))
        .hasMessage("unix:" + socket + " cannot be listened on: there is no group no-such-group");
    assertThat(folder).isEmptyDirectory();
  }

  private static ListenerConfig shared(Path socket, String group) {
    return RecordCopy.with(
        ListenerConfig.DEFAULT.onSocket(socket),
        "socketAccess",
        new SocketAccess(0660, Optional.of(group)));
  }
}
