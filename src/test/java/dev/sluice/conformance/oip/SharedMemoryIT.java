package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryRegisterRequest;
import dev.sluice.protocol.oip.grpc.proto.CudaSharedMemoryStatusRequest;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferRequestedOutputTensor;
import dev.sluice.protocol.oip.grpc.proto.ServerMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryRegisterRequest;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryStatusRequest;
import dev.sluice.protocol.oip.grpc.proto.SystemSharedMemoryUnregisterRequest;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tensors in files that clients share with the server. */
@Timeout(60)
class SharedMemoryIT {
  private static final String REGION = "/v2/systemsharedmemory/region/";
  private static final String INFER = "/v2/models/addsub/infer";
  private static final int TENSOR = 64;

  @TempDir private Path shared;
  @TempDir private Path folder;

  private static final String POLICIES =
      """
      security:
        policies:
          - { identities: [anonymous], roles: [inference, metadata, shared_memory] }
      """;

  private RunningServer start(String security) throws IOException {
    return start(security, "max_regions: 4");
  }

  private RunningServer start(String security, String more) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("sluice.yml"),
            """
            models: { directory: src/test/models/oip }
            oip: { shared_memory: { enabled: true, directory: "%s", %s } }
            """
                    .formatted(shared, more)
                + security);
    SluiceConfig read =
        new SluiceConfigReader(_ -> {}).read(Optional.of(file), Map.of(), List.of());
    return RunningServer.start(
        read.with(List.of(ListenerConfig.DEFAULT.withPort(0)), read.repository()));
  }

  /** Sixteen integers from a first one, and as many ones behind them; zeros for two answers. */
  private Path file(String name) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(4 * TENSOR).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 16; i++) {
      bytes.putInt(4 * i, i).putInt(TENSOR + 4 * i, 1);
    }
    return Files.write(shared.resolve(name), bytes.array());
  }

  private static int at(Path file, int tensor, int element) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file))
        .order(ByteOrder.LITTLE_ENDIAN)
        .getInt(tensor * TENSOR + 4 * element);
  }

  private static String send(HttpCaller caller, String method, String path, String body) {
    var answer = caller.send(method, path, Buffer.buffer(body));
    return answer.status() + " " + answer.text();
  }

  private static String register(HttpCaller caller, String region, String body) {
    return send(caller, "POST", REGION + region + "/register", body);
  }

  private static String place(String region, int offset, int size) {
    return "\"parameters\":{\"shared_memory_region\":\"%s\",\"shared_memory_offset\":%d,\"shared_memory_byte_size\":%d}"
        .formatted(region, offset, size);
  }

  private static String request(String first, String second, String outputs) {
    String head = "{\"name\":\"INPUT%d\",\"datatype\":\"INT32\",\"shape\":[1,16],";
    return "{\"inputs\":["
        + head.formatted(0)
        + first
        + "},"
        + head.formatted(1)
        + second
        + "}]"
        + outputs
        + "}";
  }

  private static final String BOTH_IN_REGION =
      request(place("r", 0, TENSOR), place("r", TENSOR, TENSOR), "");

  @Test
  void tensorsAreReadAndWrittenWhereTheRequestSays() throws IOException {
    Path file = file("sums");
    try (var server = start(POLICIES);
        var caller = new HttpCaller(server.port())) {
      assertThat(register(caller, "r", "{\"key\":\"/sums\",\"offset\":0,\"byte_size\":256}"))
          .isEqualTo("200 ");
      assertThat(send(caller, "GET", "/v2/systemsharedmemory/status", ""))
          .isEqualTo("200 [{\"name\":\"r\",\"key\":\"/sums\",\"offset\":0,\"byte_size\":256}]");
      String outputs =
          ",\"outputs\":[{\"name\":\"OUTPUT0\",%s},{\"name\":\"OUTPUT1\",%s}]"
              .formatted(place("r", 2 * TENSOR, TENSOR), place("r", 3 * TENSOR, TENSOR));
      String answer =
          send(
              caller,
              "POST",
              INFER,
              request(place("r", 0, TENSOR), place("r", TENSOR, TENSOR), outputs));
      assertThat(answer)
          .startsWith("200 ")
          .contains(
              "{\"name\":\"OUTPUT0\",\"datatype\":\"INT32\",\"shape\":[1,16],\"parameters\":{"
                  + "\"shared_memory_region\":\"r\",\"shared_memory_offset\":128,"
                  + "\"shared_memory_byte_size\":64,\"binary_data_size\":0}}")
          .doesNotContain("\"data\"");
      assertThat(at(file, 2, 15)).isEqualTo(16);
      assertThat(at(file, 3, 15)).isEqualTo(14);
      assertThat(send(caller, "POST", INFER, BOTH_IN_REGION))
          .as("outputs in the answer")
          .contains("\"data\":[1,2,3,");
      assertThat(send(caller, "POST", REGION + "r/unregister", "")).isEqualTo("200 ");
      assertThat(send(caller, "POST", INFER, BOTH_IN_REGION))
          .isEqualTo("404 {\"error\":\"Unable to find shared memory region: 'r'\"}");
      assertThat(send(caller, "POST", REGION + "r/unregister", "")).isEqualTo("200 ");
      assertThat(send(caller, "GET", REGION + "r/status", ""))
          .isEqualTo("404 {\"error\":\"Unable to find system shared memory region: 'r'\"}");
    }
  }

  @Test
  void textsAndPartsOfFilesAreTakenToo() throws IOException {
    byte[] bytes = {0, 0, 0, 2, 0, 0, 0, 'h', 'i', 0, 0};
    Files.write(shared.resolve("texts"), bytes);
    try (var server = start(POLICIES);
        var caller = new HttpCaller(server.port())) {
      assertThat(register(caller, "t", "{\"key\":\"texts\",\"offset\":3,\"byte_size\":8}"))
          .isEqualTo("200 ");
      String input =
          "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"BYTES\",\"shape\":[1,1],%s}]}";
      assertThat(send(caller, "POST", "/v2/models/idb/infer", input.formatted(place("t", 0, 6))))
          .contains("\"data\":[\"hi\"]");
      assertThat(send(caller, "POST", "/v2/models/idb/infer", input.formatted(place("t", 0, 8))))
          .startsWith("400 ")
          .contains("incomplete string length indicator");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"key":"/none","byte_size":4}                   | Unable to open shared memory region: '/none': there is no such file
          {"key":"../secret","byte_size":4}               | Unable to open shared memory region: '../secret': wanted the name of a file in
          {"key":"/..","byte_size":4}                     | Unable to open shared memory region: '/..': wanted the name of a file in
          {"key":"/","byte_size":4}                       | Unable to open shared memory region: '/': wanted the name of a file in
          {"key":"/a/b","byte_size":4}                    | Unable to open shared memory region: '/a/b': wanted the name of a file in
          {"key":"/link","byte_size":4}                   | Unable to open shared memory region: '/link': it is no plain file
          {"key":"/folder","byte_size":4}                 | Unable to open shared memory region: '/folder': it is no plain file
          {"key":"/sums","byte_size":257}                 | Invalid offset + byte size for shared memory region: 'r': got offset 0 and 257 bytes, the file '/sums' has 256
          {"key":"/sums","offset":250,"byte_size":7}      | Invalid offset + byte size for shared memory region: 'r': got offset 250 and 7 bytes
          {"key":"/sums","offset":9223372036854775807,"byte_size":9223372036854775807} | Invalid offset + byte size
          {"key":"/sums","byte_size":0}                   | Invalid offset + byte size
          {"key":"/sums"}                                 | attempt to access non-existing object member 'byte_size'
          {"byte_size":4}                                 | attempt to access non-existing object member 'key'
          {"key":7,"byte_size":4}                         | Unable to parse 'key'
          {"key":"/sums","byte_size":-1}                  | Unable to parse 'byte_size'
          {"key":                                         | failed to parse the request JSON buffer
          """)
  void wrongRegistrationsAreRefusedByName(String body, String error) throws IOException {
    file("sums");
    Files.createSymbolicLink(shared.resolve("link"), shared.resolve("sums"));
    Files.createDirectories(shared.resolve("folder"));
    try (var server = start(POLICIES);
        var caller = new HttpCaller(server.port())) {
      assertThat(register(caller, "r", body)).startsWith("400 ").contains(error);
      assertThat(send(caller, "GET", "/v2/systemsharedmemory/status", "")).isEqualTo("200 []");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          r | 0   | 63  | input byte size mismatch for input 'INPUT0' for model 'addsub'. Expected 64, got 63
          r | 193 | 64  | Invalid offset + byte size for shared memory region: 'r': got offset 193 and 64 bytes, the region has 256
          q | 0   | 64  | Unable to find shared memory region: 'q'
          """)
  void wrongPlacesAreRefusedByName(String region, int offset, int size, String error)
      throws IOException {
    file("sums");
    try (var server = start(POLICIES);
        var caller = new HttpCaller(server.port())) {
      register(caller, "r", "{\"key\":\"/sums\",\"byte_size\":256}");
      String second = place("r", TENSOR, TENSOR);
      assertThat(send(caller, "POST", INFER, request(place(region, offset, size), second, "")))
          .startsWith("4")
          .contains(error);
      assertThat(send(caller, "POST", INFER, BOTH_IN_REGION)).startsWith("200 ");
    }
  }

  @Test
  void otherMistakesAreRefusedByName() throws IOException {
    file("sums");
    try (var server = start(POLICIES);
        var caller = new HttpCaller(server.port())) {
      String registration = "{\"key\":\"/sums\",\"byte_size\":256}";
      assertThat(register(caller, "r", registration)).isEqualTo("200 ");
      assertThat(register(caller, "r", registration))
          .isEqualTo("400 {\"error\":\"shared memory region 'r' already in manager\"}");
      for (String name : List.of("a", "b", "c")) {
        assertThat(register(caller, name, registration)).isEqualTo("200 ");
      }
      assertThat(register(caller, "d", registration))
          .contains("there are 4 shared memory regions, which is the limit");
      String second = place("r", TENSOR, TENSOR);
      assertThat(
              send(
                  caller,
                  "POST",
                  INFER,
                  request(second + ",\"data\":[" + "1,".repeat(15) + "1]", second, "")))
          .contains("But 'data' and 'shared_memory_region' are set for input 'INPUT0'");
      assertThat(
              send(
                  caller,
                  "POST",
                  INFER,
                  request("\"parameters\":{\"shared_memory_region\":\"r\"}", second, "")))
          .contains("without a 'shared_memory_byte_size'");
      String small = ",\"outputs\":[{\"name\":\"OUTPUT0\"," + place("r", 128, 63) + "}]";
      assertThat(send(caller, "POST", INFER, request(second, second, small)))
          .startsWith("400 ")
          .contains(
              "shared memory size specified with the request for output 'OUTPUT0' (63 bytes) should"
                  + " be at least 64 bytes to hold the results");
      assertThat(send(caller, "POST", "/v2/systemsharedmemory/unregister", "")).isEqualTo("200 ");
      assertThat(send(caller, "GET", "/v2/systemsharedmemory/status", "")).isEqualTo("200 []");
      assertThat(send(caller, "POST", "/v2/cudasharedmemory/region/g/register", "{}"))
          .startsWith("501 ")
          .contains("failed to register CUDA shared memory region 'g': no GPU memory is served");
      assertThat(send(caller, "GET", "/v2/cudasharedmemory/status", "")).isEqualTo("200 []");
      assertThat(send(caller, "GET", "/v2/systemsharedmemory/register", "")).startsWith("404 ");
      assertThat(send(caller, "GET", "/v2", "")).contains("\"system_shared_memory\"");
    }
  }

  @Test
  void aFileThatIsCutFailsTheRequestAndNothingElse() throws Exception {
    Path file = file("sums");
    try (var server = start(POLICIES);
        var caller = new HttpCaller(server.port())) {
      register(caller, "r", "{\"key\":\"/sums\",\"byte_size\":256}");
      try (var cut = new RandomAccessFile(file.toFile(), "rw")) {
        cut.setLength(70);
      }
      assertThat(send(caller, "POST", INFER, BOTH_IN_REGION))
          .isEqualTo(
              "400 {\"error\":\"shared memory region 'r' is cut: its file '/sums' has 70 bytes,"
                  + " wanted 128\"}");
      String out = ",\"outputs\":[{\"name\":\"OUTPUT0\"," + place("r", 128, 64) + "}]";
      String first = place("r", 0, TENSOR);
      assertThat(send(caller, "POST", INFER, request(first, first, out)))
          .contains("is cut: its file '/sums' has 70 bytes, wanted 192");
      assertThat(Files.size(file)).as("the server makes no file longer").isEqualTo(70);
      Files.delete(file);
      assertThat(send(caller, "POST", INFER, request(first, first, "")))
          .as("what was registered stays open")
          .startsWith("200 ");
    }
  }

  /** Where memory is mapped, this kills the process. */
  @Test
  void aFileThatIsTruncatedAllTheTimeAffectsNoOther() throws Exception {
    Path file = file("sums");
    var ended = new AtomicBoolean();
    try (var server = start(POLICIES);
        var caller = new HttpCaller(server.port());
        var cutter = Executors.newSingleThreadExecutor();
        var cut = new RandomAccessFile(file.toFile(), "rw")) {
      register(caller, "r", "{\"key\":\"/sums\",\"byte_size\":256}");
      var cutting =
          cutter.submit(() -> {
            while (!ended.get()) {
              cut.setLength(0);
              cut.setLength(256);
            }
            return null;
          });
      String out = ",\"outputs\":[{\"name\":\"OUTPUT0\"," + place("r", 128, 64) + "}]";
      try {
        for (int i = 0; i < 300; i++) {
          assertThat(
                  send(
                      caller,
                      "POST",
                      INFER,
                      request(place("r", 0, TENSOR), place("r", TENSOR, TENSOR), out)))
              .containsAnyOf("200 ", "is cut: its file '/sums' has ");
        }
      } finally {
        ended.set(true);
      }
      cutting.get();
      assertThat(send(caller, "GET", "/v2/health/ready", "")).startsWith("200");
    }
  }

  private static InferParameter text(String value) {
    return InferParameter.newBuilder().setStringParam(value).build();
  }

  private static InferParameter number(long value) {
    return InferParameter.newBuilder().setInt64Param(value).build();
  }

  private static InferInputTensor.Builder input(int number) {
    return InferInputTensor.newBuilder()
        .setName("INPUT" + number)
        .setDatatype("INT32")
        .addShape(1)
        .addShape(16);
  }

  private static void assertFails(Status.Code code, String text, ThrowingCallable call) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(call)
        .withMessageContaining(text)
        .extracting(failure -> failure.getStatus().getCode())
        .isEqualTo(code);
  }

  @Test
  void overGrpc() throws IOException {
    Path file = file("sums");
    try (var server = start(POLICIES)) {
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
      try {
        overGrpc(GRPCInferenceServiceGrpc.newBlockingStub(channel), file);
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static void overGrpc(GRPCInferenceServiceBlockingStub stub, Path file)
      throws IOException {
    stub.systemSharedMemoryRegister(
        SystemSharedMemoryRegisterRequest.newBuilder()
            .setName("r")
            .setKey("/sums")
            .setByteSize(256)
            .build());
    var status =
        stub.systemSharedMemoryStatus(SystemSharedMemoryStatusRequest.getDefaultInstance());
    assertThat(status.getRegionsOrThrow("r").getByteSize()).isEqualTo(256);
    ByteBuffer ones = ByteBuffer.allocate(TENSOR).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 16; i++) {
      ones.putInt(4 * i, 1);
    }
    var request =
        ModelInferRequest.newBuilder()
            .setModelName("addsub")
            .addInputs(
                input(0)
                    .putParameters("shared_memory_region", text("r"))
                    .putParameters("shared_memory_byte_size", number(TENSOR)))
            .addInputs(input(1))
            .addRawInputContents(ByteString.copyFrom(ones))
            .addOutputs(
                InferRequestedOutputTensor.newBuilder()
                    .setName("OUTPUT0")
                    .putParameters("shared_memory_region", text("r"))
                    .putParameters("shared_memory_offset", number(128))
                    .putParameters("shared_memory_byte_size", number(TENSOR)))
            .addOutputs(InferRequestedOutputTensor.newBuilder().setName("OUTPUT1"))
            .build();
    var answer = stub.modelInfer(request);
    assertThat(at(file, 2, 15)).isEqualTo(16);
    assertThat(answer.getRawOutputContentsList()).hasSize(2);
    assertThat(answer.getRawOutputContents(0)).isEmpty();
    assertThat(answer.getRawOutputContents(1).byteAt(4 * 15)).isEqualTo((byte) 14);
    assertThat(answer.getOutputs(0).getParametersOrThrow("shared_memory_region").getStringParam())
        .isEqualTo("r");
    assertFails(
        Status.Code.UNIMPLEMENTED,
        "failed to register CUDA shared memory region 'g'",
        () ->
            stub.cudaSharedMemoryRegister(
                CudaSharedMemoryRegisterRequest.newBuilder().setName("g").build()));
    assertThat(
            stub.cudaSharedMemoryStatus(CudaSharedMemoryStatusRequest.getDefaultInstance())
                .getRegionsCount())
        .isZero();
    stub.systemSharedMemoryUnregister(SystemSharedMemoryUnregisterRequest.getDefaultInstance());
    assertFails(
        Status.Code.NOT_FOUND,
        "Unable to find shared memory region: 'r'",
        () -> stub.modelInfer(request));
    assertThat(stub.serverMetadata(ServerMetadataRequest.getDefaultInstance()).getExtensionsList())
        .contains("system_shared_memory");
  }

  @Test
  void whoHasNoRightMayNeitherRegisterNorNameARegion() throws IOException {
    file("sums");
    String keys =
        Files.writeString(
                folder.resolve("keys"), "one: secret-one-0123456789\ntwo: secret-two-0123456789\n")
            .toString();
    String security =
        """
        security:
          api_keys: { file: "%s" }
          policies:
            - { identities: [anonymous], roles: [inference] }
            - { identities: ["key:*"], roles: [inference, shared_memory] }
        """
            .formatted(keys);
    try (var server = start(security);
        var caller = new HttpCaller(server.port())) {
      String registration = "{\"key\":\"/sums\",\"byte_size\":256}";
      assertThat(register(caller, "r", registration))
          .startsWith("403 ")
          .contains("operation 'shared_memory' needs the role 'shared_memory'");
      MultiMap one = key("secret-one-0123456789");
      MultiMap two = key("secret-two-0123456789");
      var path = REGION + "r/register";
      assertThat(caller.send("POST", path, one, Buffer.buffer(registration)).status())
          .isEqualTo(200);
      assertThat(caller.send("POST", INFER, one, Buffer.buffer(BOTH_IN_REGION)).status())
          .isEqualTo(200);
      assertThat(send(caller, "POST", INFER, BOTH_IN_REGION)).startsWith("403 ");
      var other = caller.send("POST", INFER, two, Buffer.buffer(BOTH_IN_REGION));
      assertThat(other.status()).as("regions belong to who registers them").isEqualTo(404);
      assertThat(caller.send("GET", "/v2/systemsharedmemory/status", two, Buffer.buffer()).text())
          .isEqualTo("[]");
    }
  }

  private static MultiMap key(String key) {
    return MultiMap.caseInsensitiveMultiMap().add("Authorization", "Bearer " + key);
  }

  @Test
  void regionsThatNoRequestNamesAreForgotten() throws IOException {
    file("sums");
    try (var server = start(POLICIES, "idle_timeout: 1ms");
        var caller = new HttpCaller(server.port())) {
      register(caller, "r", "{\"key\":\"/sums\",\"byte_size\":256}");
      long end = System.nanoTime() + 30_000_000_000L;
      while (!send(caller, "GET", "/v2/systemsharedmemory/status", "").equals("200 []")) {
        assertThat(System.nanoTime()).isLessThan(end);
      }
    }
  }

  @Test
  void withoutTheSettingThereIsNone() {
    try (var server = RunningServer.start(Path.of("src/test/models/oip"));
        var caller = new HttpCaller(server.port())) {
      assertThat(register(caller, "r", "{\"key\":\"/sums\",\"byte_size\":256}"))
          .isEqualTo(
              "404 {\"error\":\"Not Found: no shared memory is served (setting"
                  + " oip.shared_memory.enabled)\"}");
      assertThat(send(caller, "POST", INFER, BOTH_IN_REGION))
          .isEqualTo("404 {\"error\":\"Unable to find shared memory region: 'r'\"}");
      assertThat(send(caller, "GET", "/v2", "")).doesNotContain("shared_memory");
    }
  }
}
