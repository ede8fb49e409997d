package dev.sluice.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Sends one HTTP request over a new connection to a port or a Unix domain socket. */
public final class AnyListenerClient {
  private AnyListenerClient() {}

  /** Asks a port of this machine. The whole answer, as it came. */
  public static String ask(int port, String method, String path, String body, String... headers)
      throws IOException {
    return ask(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), method, path, body, headers);
  }

  /** Asks a Unix domain socket. */
  public static String ask(Path socket, String method, String path, String body, String... headers)
      throws IOException {
    return ask(UnixDomainSocketAddress.of(socket), method, path, body, headers);
  }

  private static String ask(
      SocketAddress address, String method, String path, String body, String... headers)
      throws IOException {
    try (var client = SocketChannel.open(address)) {
      var request = new StringBuilder();
      request.append(method).append(' ').append(path).append(" HTTP/1.1\r\n");
      request.append("Host: localhost\r\nConnection: close\r\n");
      for (String header : headers) {
        request.append(header).append("\r\n");
      }
      if (method.equals("POST")) {
        request.append("Content-Type: application/json\r\n");
        request.append("Content-Length: ").append(body.length()).append("\r\n\r\n").append(body);
      } else {
        request.append("\r\n");
      }
      client.write(ByteBuffer.wrap(request.toString().getBytes(StandardCharsets.UTF_8)));
      return new String(Channels.newInputStream(client).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
