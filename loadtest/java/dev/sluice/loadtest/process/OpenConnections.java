package dev.sluice.loadtest.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Keep-alive connections that asked one question each, and have been silent since. */
public final class OpenConnections implements AutoCloseable {
  private static final byte[] QUESTION =
      "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII);

  private final List<SocketChannel> channels = new ArrayList<>();

  private OpenConnections() {}

  /**
   * Opens connections.
   *
   * @throws UncheckedIOException if there cannot be so many; none is left open then
   */
  public static OpenConnections to(int port, int count) {
    var connections = new OpenConnections();
    try {
      for (int i = 0; i < count; i++) {
        connections.open(port);
      }
      return connections;
    } catch (IOException e) {
      connections.close();
      throw new UncheckedIOException(
          "%d connections could not be opened; 'ulimit -n' must allow them on both sides"
              .formatted(count),
          e);
    }
  }

  private void open(int port) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channels.add(channel);
    // Closed without a farewell, or its port would be of no use to anyone for a minute.
    channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    channel.write(ByteBuffer.wrap(QUESTION));
    if (channel.read(ByteBuffer.allocate(1024)) <= 0) {
      throw new IOException("no answer on connection " + channels.size());
    }
  }

  /** Refuses connections of which the server has closed one. */
  public void requireOpen() {
    try {
      for (SocketChannel channel : channels) {
        channel.configureBlocking(false);
        if (channel.read(ByteBuffer.allocate(1024)) < 0) {
          throw new IllegalStateException("the server closed an idle connection");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    for (SocketChannel channel : channels) {
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
