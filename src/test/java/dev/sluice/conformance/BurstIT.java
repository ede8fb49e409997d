package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Message;
import dev.sluice.conformance.EveryEndpointIT.Endpoint;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Thousands of calls at once, by one client, to a server with default settings. */
class BurstIT {
  private static final int CALLS = 5_000;

  /** Each has a connection of its own, both ends of which are in this process. */
  private static final int CONNECTIONS = 2_000;

  private RunningServer server;
  private ManagedChannel channel;

  @BeforeEach
  void open() {
    server = RunningServer.start(Path.of("src/sample/models"));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterEach
  void nothingIsLeftOpen() {
    channel.shutdownNow();
    server.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.sluice.conformance.EveryEndpointIT#methods")
  void everyCallOfABurstIsAnswered(String method, Message request) throws Exception {
    byte[] bytes = request.toByteArray();
    MethodDescriptor<byte[], byte[]> called = RawCalls.unary(method);
    List<ListenableFuture<byte[]>> answers = new ArrayList<>(CALLS);
    for (int i = 0; i < CALLS; i++) {
      answers.add(ClientCalls.futureUnaryCall(channel.newCall(called, CallOptions.DEFAULT), bytes));
    }
    for (ListenableFuture<byte[]> answer : answers) {
      assertThat(answer.get()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.conformance.EveryEndpointIT#endpoints")
  void everyCallOfABurstOfConnectionsIsAnswered(Endpoint endpoint) {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + endpoint.path()))
            .header("Content-Type", endpoint.type())
            .POST(BodyPublishers.ofByteArray(endpoint.body()));
    if (endpoint.jsonLength() >= 0) {
      request.header("Inference-Header-Content-Length", Integer.toString(endpoint.jsonLength()));
    }
    try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>(CONNECTIONS);
      for (int i = 0; i < CONNECTIONS; i++) {
        answers.add(http.sendAsync(request.build(), BodyHandlers.ofString()));
      }
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        assertThat(answer.join().statusCode()).as(answer.join().body()).isEqualTo(200);
      }
    }
  }
}
