package dev.sluice.loadtest.peer;

import dev.sluice.loadtest.process.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A server of someone else that answers, by V2 over HTTP and gRPC. */
public record RunningPeer(ServerProcess http, ServerProcess grpc) implements AutoCloseable {
  /** Starts a server whose HTTP listens on one port, and whose gRPC on another. */
  interface Start {
    /** Returns when the server is ready. */
    ServerProcess on(int http, int grpc) throws IOException;
  }

  /** Starts a server on two ports that nobody listens on now. */
  static RunningPeer started(Start start) throws IOException {
    int[] ports = freePorts();
    ServerProcess server = start.on(ports[0], ports[1]);
    return new RunningPeer(server, server.at(ports[1]));
  }

  private static int[] freePorts() throws IOException {
    try (var one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var another = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new int[] {one.getLocalPort(), another.getLocalPort()};
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
