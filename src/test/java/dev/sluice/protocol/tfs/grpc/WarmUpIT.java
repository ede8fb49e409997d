package dev.sluice.protocol.tfs.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.wire.WireType;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.PrometheusPage;
import dev.sluice.testing.RecordFile;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorded requests beside SavedModels, and what becomes of versions that fail on them. */
class WarmUpIT {
  private static final String RECORDS = "1/assets.extra/tf_serving_warmup_requests";
  private static final int PREDICT = 6;

  @TempDir private static Path models;
  private static RunningServer server;

  @BeforeAll
  static void start() throws IOException {
    model("recorded");
    write("twice", Files.readAllBytes(model("twice").resolve(RECORDS)));
    Files.writeString(models.resolve("twice/model.yml"), "warmup_iterations: 2\n");
    byte[] changed = Files.readAllBytes(model("changed").resolve(RECORDS));
    write("cut", Arrays.copyOf(changed, changed.length - 3));
    changed[20] ^= 1;
    write("changed", changed);
    Files.delete(model("no_file").resolve(RECORDS));
    write("off", changed);
    Files.writeString(models.resolve("off/model.yml"), "warmup: false\n");
    write("no_log", new RecordFile().add(new byte[] {(byte) 0xFF}).toBytes());
    write("session", new RecordFile().add(new byte[] {0x2A, 0}).toBytes());
    write("nothing", new RecordFile().add(new byte[0]).toBytes());
    var many = new RecordFile();
    for (int i = 0; i <= 1_000; i++) {
      many.add(new byte[0]);
    }
    write("many", many.toBytes());
    var wrong =
        PredictRequest.newBuilder().setModelSpec(ModelSpec.newBuilder().setSignatureName("wrong"));
    write("wrong", new RecordFile().add(log(PREDICT, wrong.build().toByteString())).toBytes());
    write("unnamed", new RecordFile().add(log(PREDICT, unnamed())).toBytes());
    server = RunningServer.start(models);
  }

  @AfterAll
  static void stop() {
    server.close();
    assertThat(TensorMemory.openBlocks()).isZero();
  }

  /** The recorded call without its model_spec. */
  private static ByteString unnamed() {
    var x =
        ProtoTensors.header(WireType.FLOAT, 3).addFloatVal(1).addFloatVal(2).addFloatVal(3).build();
    return PredictRequest.newBuilder().putInputs("x", x).build().toByteString();
  }

  private static byte[] log(int type, ByteString request) {
    return message(type, message(1, request).toByteString()).toByteArray();
  }

  private static UnknownFieldSet message(int field, ByteString value) {
    var only = UnknownFieldSet.Field.newBuilder().addLengthDelimited(value).build();
    return UnknownFieldSet.newBuilder().addField(field, only).build();
  }

  private static Path model(String name) throws IOException {
    Path from = TestModels.savedModel("half_plus_two_warmup", "00000123");
    TestModels.copy(from, models.resolve(name).resolve("1"));
    return models.resolve(name);
  }

  private static void write(String name, byte[] records) throws IOException {
    Path folder = Files.exists(models.resolve(name)) ? models.resolve(name) : model(name);
    Files.write(folder.resolve(RECORDS), records);
  }

  private static VersionStatus status(String model) {
    return server.control().versions(model).orElseThrow().getFirst();
  }

  private static void assertFails(String model, String text) {
    assertThat(status(model).state()).isEqualTo(VersionState.END);
    assertThat(status(model).error().orElseThrow().message())
        .contains(text)
        .contains(models.resolve(model).resolve(RECORDS).toString());
  }

  @Test
  void everyKindOfRecordIsRunAndCounted() throws Exception {
    assertThat(status("recorded").state()).isEqualTo(VersionState.AVAILABLE);
    assertThat(status("twice").state()).isEqualTo(VersionState.AVAILABLE);
    assertThat(recordsRead("recorded")).isEqualTo(4);
    assertThat(recordsRead("twice")).isEqualTo(4);
  }

  @Test
  void aRecordNeedsNoModelSpecAndNoRequest() {
    assertThat(status("unnamed").state()).isEqualTo(VersionState.AVAILABLE);
    assertThat(status("nothing").state()).isEqualTo(VersionState.AVAILABLE);
  }

  @Test
  void aFileThatCannotBeReadFailsTheLoad() {
    assertFails("changed", ". Please verify your warmup data is in TFRecord format.");
    assertFails("no_log", "Failed to parse warmup record: ");
    assertFails("many", "Number of warmup records exceeds the maximum (1000) at ");
  }

  @Test
  void aFileThatWasChangedOrCutIsALossOfData() {
    assertThat(status("changed").error().orElseThrow().code()).isEqualTo(ErrorCode.DATA_LOSS);
    assertThat(status("cut").error().orElseThrow().code()).isEqualTo(ErrorCode.DATA_LOSS);
    assertFails("cut", "truncated record at ");
  }

  @Test
  void aVersionWithoutAFileIsNotAmongTheMetricsOfWarmUps() throws Exception {
    assertThat(recordsRead("recorded")).isEqualTo(4);
    assertThat(page())
        .contains("model_warmup_records_read{model_path=\"" + models.resolve("recorded"))
        .doesNotContain("model_warmup_records_read{model_path=\"" + models.resolve("no_file"));
  }

  @Test
  void aRecordThatFailsFailsTheLoad() {
    assertFails("session", "Unsupported log_type for warmup: 5");
    assertFails("wrong", "Serving signature key \"wrong\" not found.");
  }

  @Test
  void withoutWarmUpNothingIsRead() {
    assertThat(status("off").state()).isEqualTo(VersionState.AVAILABLE);
  }

  private static double recordsRead(String model) throws Exception {
    return new PrometheusPage(page())
        .sum(
            ":tensorflow:serving:model_warmup_records_read",
            "model_path",
            models.resolve(model).resolve("1").toString(),
            "status",
            "OK");
  }

  private static String page() throws Exception {
    var request = HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build();
    try (var client = HttpClient.newHttpClient()) {
      return client.send(request, BodyHandlers.ofString()).body();
    }
  }
}
