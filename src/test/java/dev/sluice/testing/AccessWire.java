package dev.sluice.testing;

import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One client's way to a listener, by all protocols: over a port, over a Unix domain socket, or over
 * TLS with a certificate. What it presents in headers is the same by all of them.
 */
public final class AccessWire implements AutoCloseable {
  private static final Pattern GRPC_STATUS = Pattern.compile("grpc-status: ?([0-9]+)");
  private static final byte[] EMPTY_FRAME = new byte[5];

  /** Sends one request of HTTP/1.1, and gives its answer with its head. */
  @FunctionalInterface
  private interface Http {
    String ask(String method, String path, String type, byte[] body, List<String> headers)
        throws Exception;
  }

  private final Http http;
  private final RawGrpc grpc;
  private final List<AutoCloseable> open = new ArrayList<>();
  private @Nullable BrpcClient brpc;
  private String bearer = "";

  private AccessWire(Http http, RawGrpc grpc) {
    this.http = http;
    this.grpc = grpc;
    open.add(grpc);
  }

  /** Over a port of this machine. */
  public static AccessWire to(int port) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    var wire =
        new AccessWire(
            plain(address),
            new RawGrpc(
                ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build()));
    wire.brpc = new BrpcClient(port);
    wire.open.add(wire.brpc);
    return wire;
  }

  /** Over a Unix domain socket. */
  public static AccessWire to(Path socket) throws IOException {
    var loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    var wire =
        new AccessWire(
            plain(UnixDomainSocketAddress.of(socket)),
            new RawGrpc(
                NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toString()))
                    .eventLoopGroup(loop)
                    .channelType(EpollDomainSocketChannel.class)
                    .overrideAuthority("localhost")
                    .usePlaintext()
                    .build()));
    wire.brpc = new BrpcClient(socket);
    wire.open.add(wire.brpc);
    wire.open.add(loop);
    return wire;
  }

  /** Over TLS, which brpc does not have. */
  public static AccessWire to(int port, TlsClient client)
      throws IOException, GeneralSecurityException {
    HttpClient encrypted = client.http();
    var wire =
        new AccessWire(
            (method, path, type, body, headers) ->
                encrypted(encrypted, port, method, path, type, body, headers),
            client.grpc(port));
    wire.open.add(encrypted);
    return wire;
  }

  private static Http plain(SocketAddress address) {
    return (method, path, type, body, headers) -> {
      try (var client = SocketChannel.open(address)) {
        var request = new ByteArrayOutputStream();
        String head =
            "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n".formatted(method, path)
                + String.join("", headers.stream().map(header -> header + "\r\n").toList())
                + "Content-Type: %s\r\nContent-Length: %d\r\n\r\n".formatted(type, body.length);
        request.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(body);
        client.write(ByteBuffer.wrap(request.toByteArray()));
        return new String(
            Channels.newInputStream(client).readAllBytes(), StandardCharsets.ISO_8859_1);
      }
    };
  }

  private static String encrypted(
      HttpClient client,
      int port,
      String method,
      String path,
      String type,
      byte[] body,
      List<String> headers)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create("https://localhost:" + port + path))
            .version(HttpClient.Version.HTTP_1_1)
            .header("Content-Type", type)
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    for (String header : headers) {
      int colon = header.indexOf(": ");
      request.header(header.substring(0, colon), header.substring(colon + 2));
    }
    HttpResponse<String> answer =
        client.send(request.build(), BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
    var head = new StringBuilder("HTTP/1.1 " + answer.statusCode() + " \r\n");
    answer
        .headers()
        .map()
        .forEach((name, values) -> head.append(name).append(": ").append(values.getFirst()));
    return head + "\r\n\r\n" + answer.body();
  }

  /** Presents a key or a token from now on. */
  public AccessWire presenting(String credential) {
    bearer = credential;
    return this;
  }

  /** Asks for what a row asks for: the status line and the rest, as it came. */
  public String ask(AccessRow row) throws Exception {
    byte[] body = row.method().equals("POST") ? new byte[] {'{', '}'} : new byte[0];
    return http.ask(row.method(), row.path(), "application/json", body, headers());
  }

  private List<String> headers() {
    return bearer.isEmpty() ? List.of() : List.of("Authorization: Bearer " + bearer);
  }

  /** Sends an empty message. */
  public Status grpc(String method) {
    var metadata = new Metadata();
    if (!bearer.isEmpty()) {
      metadata.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + bearer);
    }
    return grpc.call(method, metadata);
  }

  /** Sends an empty message by gRPC-Web: the status of the header or the trailers in the body. */
  public Status.Code grpcWeb(String method) throws Exception {
    String answer =
        http.ask("POST", "/" + method, "application/grpc-web+proto", EMPTY_FRAME, headers());
    Matcher status = GRPC_STATUS.matcher(answer);
    if (!status.find()) {
      throw new AssertionError(method + " has no status of gRPC: " + answer);
    }
    return Status.fromCodeValue(Integer.parseInt(status.group(1))).getCode();
  }

  /** Returns whether brpc goes this way. */
  public boolean hasBrpc() {
    return brpc != null;
  }

  /** Sends an empty message by brpc. */
  public BrpcClient.Answer brpc(String method) throws IOException {
    var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", method, 1);
    return Objects.requireNonNull(brpc)
        .ask(bearer.isEmpty() ? call : call.from(bearer), new byte[0]);
  }

  @Override
  public void close() throws IOException {
    for (AutoCloseable one : open) {
      try {
        one.close();
      } catch (IOException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }
}
