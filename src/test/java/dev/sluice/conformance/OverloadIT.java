package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Message;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.conformance.EveryEndpointIT.Endpoint;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A model that takes two requests, one to run and one to wait, behind all doors. */
class OverloadIT {
  private static final ModelSelector MODEL = new ModelSelector.Latest("half_plus_two");

  private static RunningServer server;
  private static HttpClient http;
  private static ManagedChannel channel;

  @BeforeAll
  static void open() {
    SluiceConfig config =
        new SluiceConfigReader(_ -> {})
            .read(
                Optional.empty(),
                Map.of(),
                List.of(
                    new SettingOverride("listeners", "localhost:0", "test"),
                    new SettingOverride("models.directory", "src/sample/models", "test"),
                    new SettingOverride("models.defaults.max_queued_requests", "1", "test")));
    server = RunningServer.start(config);
    http = HttpClient.newHttpClient();
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void close() {
    channel.shutdownNow();
    http.close();
    server.close();
  }

  private static ModelLease enter() {
    return ((ModelLookup.Found) server.data().admit(MODEL, Caller.SERVER)).model();
  }

  private static HttpResponse<byte[]> send(Endpoint endpoint, byte[] body) throws Exception {
    return http.send(request(endpoint, body).build(), BodyHandlers.ofByteArray());
  }

  private static HttpRequest.Builder request(Endpoint endpoint, byte[] body) {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + endpoint.path()))
            .header("Content-Type", endpoint.type())
            .POST(BodyPublishers.ofByteArray(body));
    if (endpoint.jsonLength() >= 0) {
      request.header("Inference-Header-Content-Length", Integer.toString(endpoint.jsonLength()));
    }
    return request;
  }

  /** Both places are free: what was answered, however, has left. */
  private static void requireCapacityForTwo() {
    ModelLease first = enter();
    ModelLease second = enter();
    InferenceException third = catchThrowableOfType(InferenceException.class, OverloadIT::enter);
    first.release();
    second.release();
    assertThat(third).hasMessage("model 'half_plus_two' has no room: Exceeds maximum queue size");
  }

  static Stream<Endpoint> endpoints() {
    return EveryEndpointIT.endpoints();
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void oneTooManyIsRejectedOverHttp(Endpoint endpoint) throws Exception {
    ModelLease first = enter();
    ModelLease second = enter();
    HttpResponse<byte[]> answer = send(endpoint, endpoint.body());
    first.release();
    second.release();
    String text = new String(answer.body(), UTF_8);
    // grps has its own number for it.
    assertThat(answer.statusCode())
        .as(text)
        .isEqualTo(endpoint.name().startsWith("grps") ? 503 : 429);
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(text).contains("Exceeds maximum queue size");
    assertThat(send(endpoint, endpoint.body()).statusCode()).isEqualTo(200);
    requireCapacityForTwo();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.sluice.conformance.EveryEndpointIT#methods")
  void oneTooManyIsRejectedOverGrpc(String method, Message request) {
    ModelLease first = enter();
    ModelLease second = enter();
    StatusRuntimeException refused =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () -> RawCalls.send(channel, method, request.toByteArray()));
    first.release();
    second.release();
    assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(trailer(refused, "grpc-retry-pushback-ms")).isEqualTo("1000");
    assertThat(trailer(refused, "retry-after")).isEqualTo("1");
    assertThat(RawCalls.send(channel, method, request.toByteArray())).isNotEmpty();
    requireCapacityForTwo();
  }

  private static String trailer(StatusRuntimeException refused, String name) {
    Metadata trailers = Status.trailersFromThrowable(refused);
    return trailers == null
        ? ""
        : trailers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void bodiesThatCannotBeDecodedReleaseTheirPermits(Endpoint endpoint) throws Exception {
    var mutations = new Mutations(endpoint.name().hashCode());
    for (int i = 0; i < 100; i++) {
      send(endpoint, mutations.damage(endpoint.body()));
    }
    requireCapacityForTwo();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dev.sluice.conformance.EveryEndpointIT#methods")
  void messagesThatCannotBeDecodedReleaseTheirPermits(String method, Message request) {
    var mutations = new Mutations(method.hashCode());
    for (int i = 0; i < 100; i++) {
      byte[] damaged = mutations.damage(request.toByteArray());
      assertThat(status(method, damaged)).isNotEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }
    requireCapacityForTwo();
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void aRequestWhoseHeaderLeavesNoTimeIsNotRun(Endpoint endpoint) throws Exception {
    var request = request(endpoint, endpoint.body()).header("Request-Timeout", "0ms");
    HttpResponse<byte[]> answer = http.send(request.build(), BodyHandlers.ofByteArray());
    assertThat(answer.statusCode()).isEqualTo(504);
    requireCapacityForTwo();
  }

  private static Status.Code status(String method, byte[] message) {
    try {
      RawCalls.send(channel, method, message);
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }
}
