package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.testing.RawCalls;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;

/**
 * The answer to one request, asked by an ordinary client.
 *
 * @param contentType as it was sent
 * @param body all of it; with gRPC one message, its prefix included
 */
@SuppressWarnings("ArrayRecordComponent") // Answers are compared by their bodies only.
record Answer(String contentType, byte[] body) {
  private static final int OK = 200;

  /**
   * Asks.
   *
   * @throws IllegalStateException if the answer is not a good one
   */
  static Answer to(Request request, ServerProcess server) {
    return Requests.isGrpc(request) ? call(request, server) : post(request, server);
  }

  /** Refuses a server that does not give this answer again. */
  void requireSame(Request request, ServerProcess server) {
    if (!Arrays.equals(body, to(request, server).body)) {
      throw new IllegalStateException("the server changed its answer to " + request.path());
    }
  }

  private static Answer post(Request request, ServerProcess server) {
    var builder =
        HttpRequest.newBuilder(URI.create(server.url() + request.path()))
            .version(HttpClient.Version.HTTP_1_1)
            .POST(BodyPublishers.ofByteArray(request.body()));
    request.headers().forEach(builder::header);
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<byte[]> response = client.send(builder.build(), BodyHandlers.ofByteArray());
      if (response.statusCode() != OK) {
        throw new IllegalStateException(
            request.path() + " was answered with " + response.statusCode());
      }
      String type = response.headers().firstValue("content-type").orElse("application/json");
      return new Answer(type, response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a server was asked", e);
    }
  }

  private static Answer call(Request request, ServerProcess server) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.port()).usePlaintext().build();
    try {
      byte[] message = Requests.unframed(request.body());
      byte[] answer = RawCalls.send(channel, request.path().substring(1), message);
      return new Answer("application/grpc", Requests.framed(answer));
    } finally {
      channel.shutdownNow();
    }
  }
}
