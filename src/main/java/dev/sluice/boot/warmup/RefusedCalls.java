package dev.sluice.boot.warmup;

import static dev.sluice.boot.warmup.WireBytes.ascii;
import static dev.sluice.boot.warmup.WireBytes.frame;
import static dev.sluice.boot.warmup.WireBytes.join;

import dev.sluice.boot.warmup.WarmUpCalls.Connector;
import dev.sluice.boot.warmup.WarmUpCalls.GrpcCall;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What clients get wrong: requests that are cut short, of no model, of no path, and bytes that are
 * of no protocol. Compilers drop the ways that are never taken from what they compile; if all of a
 * flood of such requests were the first of their kind, everyone would wait while it is compiled
 * again.
 */
public final class RefusedCalls {
  /** Longer than a path and a head may be. */
  private static final int LONG = 20_000;

  private RefusedCalls() {}

  /** Sends each of them once, one after the other, and waits for each response. Blocks. */
  public static void send(WarmUpCalls answered, Connector connector) throws IOException {
    for (HttpCall call : answered.httpCalls()) {
      for (HttpCall refused : call.refused()) {
        WarmUpCalls.http(refused, connector);
      }
    }
    List<GrpcCall> calls = grpcCalls(answered);
    if (!calls.isEmpty()) {
      WarmUpCalls.grpc(calls, connector);
    }
    for (byte[] bytes : brokenConnections(answered)) {
      sendRaw(bytes, connector);
    }
  }

  /** The last is well-formed, so that compilers see both again and again. */
  private static List<GrpcCall> grpcCalls(WarmUpCalls answered) {
    List<GrpcCall> refused = new ArrayList<>();
    for (GrpcCall call : answered.grpcCalls()) {
      byte[] message = call.message();
      refused.add(new GrpcCall(call.path(), Arrays.copyOf(message, message.length / 2)));
      refused.add(new GrpcCall(call.path() + "Missing", message));
      refused.add(call);
    }
    return refused;
  }

  private static List<byte[]> brokenConnections(WarmUpCalls answered) {
    byte[] noise = new byte[200];
    Arrays.fill(noise, (byte) 0x9d);
    List<byte[]> all = new ArrayList<>();
    all.add(noise);
    all.add(ascii("POST / HT"));
    all.add(ascii("DELETE /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    all.add(ascii("GET /" + "a".repeat(LONG) + " HTTP/1.1\r\n\r\n"));
    all.add(ascii("GET / HTTP/1.1\r\nName: " + "a".repeat(LONG) + "\r\n\r\n"));
    all.add(ascii("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"));
    all.add(
        ascii("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"));
    all.addAll(brokenHttp2(noise));
    if (!answered.brpcCalls().isEmpty()) {
      all.add(brpc(64, 16, noise));
      all.add(brpc(Integer.MAX_VALUE, Integer.MAX_VALUE, noise));
    }
    return all;
  }

  private static List<byte[]> brokenHttp2(byte[] noise) {
    byte[] preface = ascii(WireBytes.HTTP2_PREFACE);
    byte[] settings = frame(WireBytes.SETTINGS, 0, 0);
    return List.of(
        join(preface, noise),
        join(preface, frame(WireBytes.PING, 0, 0, new byte[8])),
        join(preface, settings, frame(WireBytes.HEADERS, WireBytes.END_HEADERS, 1, noise)),
        join(preface, settings, frame(WireBytes.DATA, 0, 1, noise)),
        join(preface, settings, frame(WireBytes.WINDOW_UPDATE, 0, 0, new byte[4])));
  }

  private static byte[] brpc(int body, int meta, byte[] content) {
    return ByteBuffer.allocate(12 + content.length)
        .put(ascii("PRPC"))
        .putInt(body)
        .putInt(meta)
        .put(content)
        .array();
  }

  /** Sends nothing more, so that the server closes the connection whatever it makes of it. */
  private static void sendRaw(byte[] bytes, Connector connector) throws IOException {
    try (SocketChannel channel = connector.connect()) {
      Channels.newOutputStream(channel).write(bytes);
      channel.shutdownOutput();
      InputStream in = Channels.newInputStream(channel);
      byte[] answer = new byte[512];
      while (in.read(answer) >= 0) {
        // until its end
      }
    } catch (IOException e) {
      // A connection that is reset is as good as one that is closed.
    }
  }
}
