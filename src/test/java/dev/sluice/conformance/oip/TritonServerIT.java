package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadRequest;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice tritonserver} as a process of its own, over a repository as it is for Triton. */
class TritonServerIT {
  private static final Path MODELS = Path.of("src/test/models/triton");

  @TempDir Path folder;
  private final int port = ChildServer.freePort();

  private void copy(String model) throws IOException {
    // A poll may come at any time: the folder appears as a whole.
    Path aside = folder.resolve("coming");
    TestModels.copy(MODELS.resolve(model), aside);
    Files.move(aside, repository().resolve(model));
  }

  private Path repository() throws IOException {
    return Files.createDirectories(folder.resolve("repository"));
  }

  private ChildServer start(String... flags) throws IOException {
    List<String> line = new ArrayList<>();
    line.addAll(
        List.of(
            "tritonserver",
            "--model-repository=" + repository(),
            "--http-address=localhost",
            "--http-port=" + port,
            "--grpc-address=localhost",
            "--grpc-port",
            Integer.toString(port),
            "--allow-metrics=false",
            "--enable-control",
            "--backend-config=default-max-batch-size=4",
            "--cuda-memory-pool-byte-size=0:1000"));
    line.addAll(List.of(flags));
    return ChildServer.start(line.toArray(String[]::new));
  }

  private Answer http(String method, String path, MultiMap headers, String body) {
    try (var caller = new HttpCaller(port)) {
      return caller.send(method, path, headers, Buffer.buffer(body));
    }
  }

  private String http(String method, String path) {
    Answer answer = http(method, path, MultiMap.caseInsensitiveMultiMap(), "");
    return answer.status() + " " + answer.text();
  }

  private static InferInputTensor input(String name, int value) {
    var contents = InferTensorContents.newBuilder();
    IntStream.range(0, 16).forEach(_ -> contents.addIntContents(value));
    return InferInputTensor.newBuilder()
        .setName(name)
        .setDatatype("INT32")
        .addShape(1)
        .addShape(16)
        .setContents(contents)
        .build();
  }

  private static ByteString sixteen(int value) {
    ByteBuffer bytes = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
    IntStream.range(0, 16).forEach(_ -> bytes.putInt(value));
    return ByteString.copyFrom(bytes.flip());
  }

  @Test
  void modelsAreLoadedAndAskedByGrpcAndHttp() throws IOException {
    copy("simple");
    copy("simple_string");
    try (var child =
        start(
            "--model-control-mode=explicit",
            "--load-model=simple",
            "--http-header-forward-pattern=x-.*|timeout",
            "--grpc-header-forward-pattern=triton_.*",
            "--trace-level=TIMESTAMPS",
            "--trace-config=rate=1")) {
      child.awaitModel("simple/1");
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
      try {
        var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
        askByGrpc(stub);
        metadataIsParameters(stub);
      } finally {
        channel.shutdownNow();
      }
      assertThat(http("GET", "/v2/models/simple_string/ready")).startsWith("200");
      assertThat(http("POST", "/v2/repository/models/simple_string/unload")).isEqualTo("200 ");
      assertThat(http("GET", "/v2/models/simple_string/ready")).startsWith("400");
      assertThat(http("POST", "/v2/repository/models/nope/load"))
          .contains("failed to load 'nope', failed to poll from model repository");
      assertThat(http("GET", "/v2/trace/setting"))
          .contains("\"trace_level\":[\"TIMESTAMPS\"],\"trace_rate\":\"1\"");
      headersAreParameters();
      child.terminate();
      child.exitCode();
      assertThat(child.output()).anyMatch(line -> line.contains("COMPUTE_INPUT_END"));
      assertThat(child.output())
          .filteredOn(line -> line.contains("has no effect"))
          .singleElement()
          .asString()
          .contains("--cuda-memory-pool-byte-size");
    }
  }

  @Test
  void theLogAndItsSettingsAgreeWithTheFlags() throws IOException {
    copy("simple");
    Path log = folder.resolve("triton.log");
    try (var child = start("--log-format=default", "--log-file=" + log, "--log-warning=false")) {
      child.awaitLine("available");
      assertThat(http("GET", "/v2/logging"))
          .isEqualTo(
              "200 {\"log_file\":\"%s\",\"log_info\":true,\"log_warning\":false,\"log_error\":true,"
                      .formatted(log)
                  + "\"log_verbose_level\":0,\"log_format\":\"default\"}");
      http("POST", "/v2/models/simple/infer");
      http(
          "POST",
          "/v2/logging",
          MultiMap.caseInsensitiveMultiMap(),
          "{\"log_format\":\"ISO8601\",\"log_warning\":true}");
      assertThat(http("GET", "/v2/logging"))
          .contains("\"log_warning\":true", "\"log_format\":\"ISO8601\"");
      child.terminate();
      child.exitCode();
      List<String> lines = Files.readAllLines(log);
      assertThat(lines.getFirst()).matches("I\\d{4} \\d\\d:\\d\\d:\\d\\d\\.\\d{6} \\d+ sluice] .+");
      assertThat(lines.getLast()).matches("\\d{4}-\\d\\d-\\d\\dT.+Z INFO  .+");
      assertThat(lines).noneMatch(line -> line.contains("has no effect"));
      assertThat(child.output()).noneMatch(line -> line.contains("has no effect"));
    }
  }

  @Test
  void instancesRunOnlyWithTheirResources() throws IOException {
    copy("simple");
    copy("simple_int8");
    for (String model : List.of("simple", "simple_int8")) {
      Files.writeString(
          repository().resolve(model).resolve("config.pbtxt"),
          """

          instance_group [ { count: 2 kind: KIND_CPU
            rate_limiter { resources [ { name: "R1" count: %d } ] priority: 2 } } ]
          """
              .formatted(model.equals("simple") ? 4 : 10),
          StandardOpenOption.APPEND);
    }
    try (var child =
        start(
            "--rate-limit=execution_count",
            "--rate-limit-resource=R1:4",
            "--exit-on-error=false",
            "--strict-readiness=false")) {
      child.awaitModel("simple/1");
      child.awaitLine("Resource count for \"R1\" is limited to 4 which will prevent scheduling");
      assertThat(http("GET", "/v2/models/simple_int8/ready")).doesNotStartWith("200");
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
      try {
        var stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
        var request =
            ModelInferRequest.newBuilder()
                .setModelName("simple")
                .addInputs(input("INPUT0", 5))
                .addInputs(input("INPUT1", 3))
                .build();
        for (int i = 0; i < 20; i++) {
          assertThat(stub.modelInfer(request).getRawOutputContentsList())
              .containsExactly(sixteen(8), sixteen(2));
        }
      } finally {
        channel.shutdownNow();
      }
      assertThat(child.output()).noneMatch(line -> line.contains("rate_limiter"));
    }
  }

  private static void askByGrpc(GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub stub) {
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("simple")
            .addInputs(input("INPUT0", 5))
            .addInputs(input("INPUT1", 3))
            .build();
    ModelInferResponse answer = stub.modelInfer(request);
    assertThat(answer.getRawOutputContentsList()).containsExactly(sixteen(8), sixteen(2));
    var config = ModelConfigRequest.newBuilder().setName("simple").build();
    assertThat(stub.modelConfig(config).getConfig().getMaxBatchSize()).isEqualTo(8);
    stub.repositoryModelLoad(
        RepositoryModelLoadRequest.newBuilder().setModelName("simple_string").build());
    var ready = ModelReadyRequest.newBuilder().setName("simple_string").build();
    assertThat(stub.modelReady(ready).getReady()).isTrue();
  }

  private static void metadataIsParameters(
      GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub stub) {
    var metadata = new Metadata();
    metadata.put(Metadata.Key.of("triton_x", Metadata.ASCII_STRING_MARSHALLER), "1");
    var asking = stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> asking.modelInfer(ModelInferRequest.getDefaultInstance()))
        .withMessageContaining("INVALID_ARGUMENT: Header 'triton_x' is reserved");
  }

  private void headersAreParameters() {
    var headers = MultiMap.caseInsensitiveMultiMap().add("x-user", "ann");
    assertThat(http("POST", "/v2/models/simple/infer", headers, "{}").text()).contains("'inputs'");
    headers.add("timeout", "1");
    assertThat(http("POST", "/v2/models/simple/infer", headers, "{}").text())
        .contains("Header 'timeout' is reserved for Triton usage and cannot be forwarded.");
  }

  @Test
  void aFolderThatIsPolledShowsNewModelsAndLosesThoseThatGo() throws IOException {
    copy("simple");
    try (var child = start("--model-control-mode=poll", "--repository-poll-secs=1")) {
      child.awaitModel("simple/1");
      assertThat(http("GET", "/v1/models/simple")).startsWith("404");
      assertThat(http("GET", "/grps/v1/health/live")).startsWith("404");
      assertThat(http("GET", "/v2/models/simple_int8")).startsWith("404");
      copy("simple_int8");
      child.awaitModel("simple_int8/1");
      assertThat(http("GET", "/v2/models/simple_int8")).startsWith("200");
      assertThat(http("POST", "/v2/repository/models/simple/load"))
          .startsWith("503")
          .contains("explicit model load / unload is not allowed if polling is enabled");
      Files.move(repository().resolve("simple"), folder.resolve("gone"));
      child.awaitLine("unloaded model=simple/1");
      assertThat(http("GET", "/v2/models/simple/ready")).doesNotStartWith("200");
    }
  }

  @Test
  void withoutAControlModeTheFolderIsReadOnce() throws IOException {
    copy("simple");
    copy("simple_int8");
    try (var child = start()) {
      child.awaitModel("simple/1");
      child.awaitModel("simple_int8/1");
      assertThat(http("GET", "/v2/health/ready")).startsWith("200");
      assertThat(http("POST", "/v2/repository/models/simple/unload")).startsWith("503");
    }
  }
}
