package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertAll;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataRequest;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusRequest;
import dev.sluice.protocol.tfs.grpc.proto.ModelServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Folders that hold nothing that can be served say so, and files as text are read. */
@Timeout(120)
class NothingSilentIT {
  private static final String DOUBLES =
      """
      saved_model_schema_version: 1
      meta_graphs {
        meta_info_def { tags: "serve" }
        graph_def {
          node {
            name: "x" op: "Placeholder"
            attr { key: "dtype" value { type: DT_FLOAT } }
            attr { key: "shape" value { shape { dim { size: -1 } } } }
          }
          node {
            name: "y" op: "Add" input: "x" input: "x"
            attr { key: "T" value { type: DT_FLOAT } }
          }
          versions { producer: 1882 }
        }
        signature_def {
          key: "serving_default"
          value {
            inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT tensor_shape { dim { size: -1 } } } }
            outputs { key: "y" value { name: "y:0" dtype: DT_FLOAT tensor_shape { dim { size: -1 } } } }
            method_name: "tensorflow/serving/predict"
          }
        }
      }
      """;

  @TempDir Path models;

  private RunningServer start() {
    return RunningServer.start(
        RunningServer.settings(
            ListenerConfig.DEFAULT.withPort(0),
            RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ofMillis(50))));
  }

  private static String get(HttpCaller http, String path) {
    return http.send("GET", path, Buffer.buffer()).text();
  }

  private void write(String file, String text) throws IOException {
    Path path = models.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private static void await(HttpCaller http, String path, String text) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!get(http, path).contains(text)) {
      assertThat(System.nanoTime()).as("%s of %s", text, path).isLessThan(end);
    }
  }

  @Test
  void aSavedModelAsTextIsServed() throws Exception {
    write("text/1/saved_model.pbtxt", DOUBLES);
    try (var server = start();
        var http = new HttpCaller(server.port())) {
      await(http, "/v1/models/text", "AVAILABLE");
      assertThat(
              http.send(
                      "POST", "/v1/models/text:predict", Buffer.buffer("{\"instances\":[1.5,2.0]}"))
                  .text())
          .contains("3.0", "4.0");
    }
  }

  @Test
  void aModelWithoutAVersionSaysWhereOneIsWantedOverEveryProtocol() throws Exception {
    write("named/v1/saved_model.pb", "no number");
    String wanted = models.resolve("named") + " holds no version; wanted folders named by a number";
    try (var server = start();
        var http = new HttpCaller(server.port())) {
      Buffer rows = Buffer.buffer("{\"instances\":[1.0]}");
      assertThat(http.send("POST", "/v1/models/named:predict", rows).text()).contains(wanted);
      Buffer tensors = Buffer.buffer("{\"inputs\":[]}");
      assertThat(http.send("POST", "/v2/models/named/infer", tensors).text()).contains(wanted);
      String grps = "{\"model\":\"named\",\"ndarray\":[1.0]}";
      assertThat(http.post("/grps/v1/infer/predict", grps).text()).contains(wanted);
    }
  }

  @Test
  void aModelWithoutAVersionSaysSoOverGrpcToo() throws Exception {
    write("named/v1/saved_model.pb", "no number");
    String wanted = models.resolve("named") + " holds no version; wanted folders named by a number";
    try (var server = start()) {
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
      try {
        ModelSpec spec = ModelSpec.newBuilder().setName("named").build();
        var predictions = PredictionServiceGrpc.newBlockingStub(channel);
        var tensors = GRPCInferenceServiceGrpc.newBlockingStub(channel);
        Map<String, Executable> calls =
            Map.of(
                "Predict",
                () -> predictions.predict(PredictRequest.newBuilder().setModelSpec(spec).build()),
                "Classify",
                () ->
                    predictions.classify(
                        ClassificationRequest.newBuilder().setModelSpec(spec).build()),
                "GetModelMetadata",
                () ->
                    predictions.getModelMetadata(
                        GetModelMetadataRequest.newBuilder()
                            .setModelSpec(spec)
                            .addMetadataField("signature_def")
                            .build()),
                "GetModelStatus",
                () ->
                    ModelServiceGrpc.newBlockingStub(channel)
                        .getModelStatus(
                            GetModelStatusRequest.newBuilder().setModelSpec(spec).build()),
                "ModelInfer",
                () ->
                    tensors.modelInfer(
                        ModelInferRequest.newBuilder().setModelName("named").build()),
                "ModelMetadata",
                () ->
                    tensors.modelMetadata(
                        ModelMetadataRequest.newBuilder().setName("named").build()),
                "grps Predict",
                () ->
                    throwIfFailed(
                        GrpsServiceGrpc.newBlockingStub(channel)
                            .predict(
                                GrpsMessage.newBuilder()
                                    .setModel("named")
                                    .setStrData("x")
                                    .build())));
        assertAll(
            calls.entrySet().stream()
                .map(call ->
                    () ->
                        assertThatThrownBy(call.getValue()::execute)
                            .as(call.getKey())
                            .hasMessageContaining(wanted)));
      } finally {
        channel.shutdownNow();
      }
    }
  }

  /** Throws what a message of grps says in itself. */
  private static void throwIfFailed(GrpsMessage answer) {
    if (answer.getStatus().getCode() != 200) {
      throw new IllegalStateException(answer.getStatus().getMsg());
    }
  }

  @Test
  void aFileThatIsNoSavedModelIsSaidInTheStatus() throws Exception {
    write("text/1/saved_model.pbtxt", "hello");
    try (var server = start();
        var http = new HttpCaller(server.port())) {
      await(http, "/v1/models/text", "one of its files is cut short, or not what its name says");
    }
  }

  @Test
  void foldersWithoutAModelSaySoInEveryStatusUntilOneIsThere() throws Exception {
    Files.createDirectories(models.resolve("empty/1"));
    write("lite/1/model.tflite", "TFL3");
    write("direct/model.tflite", "TFL3");
    try (var server = start();
        var http = new HttpCaller(server.port())) {
      await(http, "/v1/models/empty", "holds no model");
      assertThat(get(http, "/v1/models/empty"))
          .contains("NOT_FOUND", "empty/1: ", "wanted one of saved_model.pb", "got no file");
      for (String model : new String[] {"lite", "direct"}) {
        await(http, "/v1/models/" + model, "TensorFlow Lite files are not served");
        assertThat(get(http, "/v1/models/" + model)).contains("got model.tflite");
      }
      assertThat(http.send("POST", "/v2/repository/index", Buffer.buffer()).text())
          .contains("lite/1 holds no model");
      write("empty/1/saved_model.pbtxt", DOUBLES);
      await(http, "/v1/models/empty", "AVAILABLE");
      assertThat(get(http, "/v1/models/empty")).doesNotContain("holds no model");
    }
  }

  @Test
  void outputsThatNoProtocolCarriesAreReportedAtLoad() throws Exception {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "2")
        .sequenceOutput("list")
        .node("SequenceConstruct", "list", "x")
        .writeTo(Files.createDirectories(models.resolve("lists/1")));
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "2")
        .output("y", OnnxModelWriter.FLOAT, "2")
        .sequenceOutput("list")
        .node("Relu", "y", "x")
        .node("SequenceConstruct", "list", "x")
        .writeTo(Files.createDirectories(models.resolve("some/1")));
    // Its initialization has an output too, which is no answer.
    TestModels.copy(Path.of("src/sample/models/half_plus_two/2"), models.resolve("halves/2"));
    Logger logger =
        (Logger) LoggerFactory.getLogger("dev.sluice.serving.loading.UnsupportedOutputs");
    var log = new ListAppender<ILoggingEvent>();
    log.list = new CopyOnWriteArrayList<>();
    log.start();
    logger.addAppender(log);
    try (var server = start();
        var http = new HttpCaller(server.port())) {
      await(http, "/v1/models/some", "AVAILABLE");
      await(http, "/v1/models/halves", "AVAILABLE");
      await(http, "/v1/models/lists", "no protocol here carries any of its outputs");
      assertThat(get(http, "/v1/models/lists"))
          .contains("FAILED_PRECONDITION", "output 'list' of type sequence");
      assertThat(log.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .containsExactly(
              "answers leave out what no protocol here carries: output 'list' of type sequence");
    } finally {
      logger.detachAppender(log);
    }
  }
}
