package dev.sluice.testing;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One HTTP/1.1 connection that asks one thing after the other, and never tries a second time: where
 * the server closes it over a request, the caller hears of it. For one thread.
 */
public final class KeptConnection implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private boolean keeps = true;

  private KeptConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  /**
   * Connects to this machine.
   *
   * @throws java.net.ConnectException if nobody listens
   */
  public static KeptConnection open(int port) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    return new KeptConnection(socket);
  }

  /** Whether the server has not said yet that it closes the connection. */
  public boolean keeps() {
    return keeps;
  }

  /** Sends a body and reads that of the answer, which must be 200. */
  public String post(String path, String body) throws IOException {
    String request =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(path, body.length(), body);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return answer();
  }

  private String answer() throws IOException {
    String status = line();
    int length = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring("content-length:".length()).strip());
      } else if (lower.startsWith("connection:") && lower.endsWith("close")) {
        keeps = false;
      }
    }
    String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
    if (!status.startsWith("HTTP/1.1 200 ")) {
      throw new IOException(status + ": " + body);
    }
    return body;
  }

  private String line() throws IOException {
    var line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the server closed the connection in the middle: '" + line + "'");
      }
      line.append((char) next);
    }
    return line.toString().strip();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
