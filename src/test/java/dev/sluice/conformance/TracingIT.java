package dev.sluice.conformance;

import static dev.sluice.testing.OtlpCollector.attributes;
import static dev.sluice.testing.OtlpCollector.names;
import static dev.sluice.testing.OtlpCollector.parentId;
import static dev.sluice.testing.OtlpCollector.spanId;
import static dev.sluice.testing.OtlpCollector.traceId;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import dev.sluice.config.otlp.CollectorConfig;
import dev.sluice.config.otlp.TracingConfig;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.OtlpCollector;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with a collector, and callers who are part of traces: each has a trace of its own. */
class TracingIT {
  private static final String PARENT = "00f067aa0ba902b7";
  private static final String[] STAGES = {"receive", "decode", "queue", "run", "encode", "send"};
  private static final AtomicLong NEXT = new AtomicLong(0x1000);

  @TempDir private static Path models;
  private static OtlpCollector collector;
  private static RunningServer server;
  private static HttpCaller caller;
  private static ManagedChannel channel;

  @BeforeAll
  static void open() throws IOException {
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    TestModels.copy(TestModels.slow(), models.resolve("slow/1"));
    Files.writeString(
        models.resolve("slow/config.pbtxt"),
        "max_batch_size: 8 instance_group [ { count: 1 kind: KIND_CPU } ] dynamic_batching {"
            + " max_queue_delay_microseconds: 60000000 preferred_batch_size: [2] }");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("patient/1"));
    Files.writeString(
        models.resolve("patient/config.pbtxt"),
        "max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 300000 }");
    StepModels.table(models, "table", "stream: { rows: 2 }\n");
    Files.createDirectories(models.resolve("chain/1"));
    Files.writeString(
        models.resolve("chain/model.yml"),
        """
        ensemble:
          steps:
            - { model: half_plus_two, inputs: { x: x }, outputs: { y: z } }
            - { model: half_plus_two, inputs: { x: z }, outputs: { y: y } }
        """);
    collector = new OtlpCollector();
    var tracing =
        new TracingConfig(
            TracingConfig.DEFAULT.serverTiming(),
            new CollectorConfig(
                Optional.of(collector.address()),
                CollectorConfig.Protocol.HTTP,
                List.of("x-tenant=a")),
            0,
            true,
            "ranking",
            List.of("deployment.environment.name=test"));
    server =
        RunningServer.start(
            RecordCopy.with(RunningServer.settings(models), "observability.tracing", tracing));
    caller = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void nothingIsLeftOpen() {
    channel.shutdownNow();
    caller.close();
    server.close();
    collector.close();
  }

  private static String newTrace() {
    return "%032x".formatted(NEXT.incrementAndGet());
  }

  private static String traceparent(String trace) {
    return "00-" + trace + "-" + PARENT + "-01";
  }

  private static Answer post(String target, String body, Map<String, String> headers) {
    return caller.send(
        "POST", target, MultiMap.caseInsensitiveMultiMap().addAll(headers), Buffer.buffer(body));
  }

  private static Channel tracing(String trace) {
    var metadata = new Metadata();
    metadata.put(
        Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), traceparent(trace));
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
  }

  private static Span server(List<Span> trace) {
    return trace.stream()
        .filter(span -> span.getKind() == Span.SpanKind.SPAN_KIND_SERVER)
        .findFirst()
        .orElseThrow();
  }

  private static Span named(List<Span> trace, String name) {
    return trace.stream().filter(span -> span.getName().equals(name)).findFirst().orElseThrow();
  }

  /** Below the caller's span is the server's, and its stages are below that, in their order. */
  private static Span assertStages(List<Span> trace) {
    Span server = server(trace);
    assertThat(parentId(server)).isEqualTo(PARENT);
    assertThat(names(trace)).contains(STAGES);
    long before = server.getStartTimeUnixNano();
    for (String stage : STAGES) {
      Span span = named(trace, stage);
      assertThat(parentId(span)).isEqualTo(spanId(server));
      assertThat(span.getStartTimeUnixNano()).as(stage).isGreaterThanOrEqualTo(before);
      assertThat(span.getEndTimeUnixNano()).isLessThanOrEqualTo(server.getEndTimeUnixNano());
      before = span.getEndTimeUnixNano();
    }
    return server;
  }

  @Test
  void requestOfV1HasASpanBelowItsCallersWithItsStages() {
    String trace = newTrace();
    var headers =
        Map.of("traceparent", traceparent(trace), "tracestate", "a=b", "x-request-id", "mine");
    String target = "/v1/models/half_plus_two/versions/1:predict";
    assertThat(post(target, "{\"instances\":[1.0]}", headers).status()).isEqualTo(200);

    Span server = assertStages(collector.trace(trace));
    assertThat(names(collector.trace(trace))).doesNotContain("batch delay");
    assertThat(server.getName()).isEqualTo("POST /v1/models/{model}/versions/{version}:predict");
    assertThat(server.getTraceState()).isEqualTo("a=b");
    assertThat(attributes(server))
        .containsEntry("http.request.method", "POST")
        .containsEntry("http.route", "/v1/models/{model}/versions/{version}:predict")
        .containsEntry("http.response.status_code", "200")
        .containsEntry("url.path", target)
        .containsEntry("sluice.model.name", "half_plus_two")
        .containsEntry("sluice.model.version", "1")
        .containsEntry("sluice.protocol", "v1")
        .containsEntry("sluice.request_id", "mine");
    assertThat(collector.resource())
        .containsEntry("service.name", "ranking")
        .containsEntry("deployment.environment.name", "test");
    assertThat(collector.headers()).containsEntry("X-tenant", List.of("a"));
  }

  @Test
  void longTextsOfAClientAreCutAndItsTraceStateIsNotKept() {
    String trace = newTrace();
    String name = "x".repeat(3_000);
    var headers =
        Map.of("traceparent", traceparent(trace), "tracestate", "a=" + name, "x-request-id", name);
    assertThat(post("/v1/models/" + name + ":predict", "{}", headers).status()).isEqualTo(404);

    Span server = server(collector.trace(trace));
    assertThat(server.getTraceState()).isEmpty();
    assertThat(server.getName()).hasSizeLessThan(300);
    assertThat(attributes(server).values()).allMatch(value -> value.length() <= 256);
    assertThat(attributes(server).get("url.path")).startsWith("/v1/models/xxx");
  }

  private static String v2() {
    return """
    {"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[1]}]}\
    """;
  }

  @Test
  void requestOfV2IsFollowedByB3() {
    String single = newTrace();
    var _ =
        post("/v2/models/half_plus_two/infer", v2(), Map.of("b3", single + "-" + PARENT + "-1"));
    assertThat(assertStages(collector.trace(single)).getName())
        .isEqualTo("POST /v2/models/{model}/infer");

    String several = newTrace();
    var _ =
        post(
            "/v2/models/half_plus_two/infer",
            v2(),
            Map.of(
                "X-B3-TraceId", several.substring(16), "X-B3-SpanId", PARENT, "X-B3-Sampled", "1"));
    assertStages(collector.trace(several));
  }

  @Test
  void requestThatTheCallerDidNotSampleHasNone() {
    String none = newTrace();
    String target = "/v2/models/half_plus_two/infer";
    for (String parent : List.of("00-" + none + "-" + PARENT + "-00", "00-zz-1-01", "")) {
      assertThat(post(target, v2(), Map.of("traceparent", parent)).status()).isEqualTo(200);
    }
    for (String b3 : List.of("0", none + "-" + PARENT + "-0", "-", "x-y-1")) {
      assertThat(post(target, v2(), Map.of("b3", b3)).status()).isEqualTo(200);
    }
    String last = newTrace();
    var _ = post(target, v2(), Map.of("traceparent", traceparent(last)));
    collector.trace(last);

    assertThat(collector.await("any", _ -> true)).noneMatch(span -> traceId(span).equals(none));
  }

  @Test
  void failedRequestSaysWhy() {
    String trace = newTrace();
    var _ = post("/v2/models/none/infer", v2(), Map.of("traceparent", traceparent(trace)));

    List<Span> spans = collector.trace(trace);
    assertThat(names(spans)).contains("receive", "handle", "send").doesNotContain("run");
    assertThat(attributes(server(spans)))
        .containsEntry("error.type", "not_found")
        .containsEntry("http.response.status_code", "404");
    assertThat(server(spans).getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_UNSET);
  }

  private static ModelInferRequest infer(String model) {
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName("x")
                .setDatatype("FP32")
                .addShape(1)
                .setContents(InferTensorContents.newBuilder().addFp32Contents(1)))
        .build();
  }

  @Test
  void callOfV2OverGrpcHasASpan() {
    String trace = newTrace();
    var _ =
        GRPCInferenceServiceGrpc.newBlockingStub(tracing(trace)).modelInfer(infer("half_plus_two"));

    Span server = assertStages(collector.trace(trace));
    assertThat(server.getName()).isEqualTo("inference.GRPCInferenceService/ModelInfer");
    assertThat(attributes(server))
        .containsEntry("rpc.system", "grpc")
        .containsEntry("rpc.service", "inference.GRPCInferenceService")
        .containsEntry("rpc.method", "ModelInfer")
        .containsEntry("rpc.grpc.status_code", "0")
        .containsEntry("sluice.protocol", "oip");
  }

  @Test
  void failedCallOverGrpcHasItsStatus() {
    String trace = newTrace();
    var stub = GRPCInferenceServiceGrpc.newBlockingStub(tracing(trace));
    assertThatThrownBy(() -> stub.modelInfer(infer("none")))
        .isInstanceOf(StatusRuntimeException.class);

    assertThat(attributes(server(collector.trace(trace))))
        .containsEntry("rpc.grpc.status_code", "5")
        .containsEntry("error.type", "not_found");
  }

  @Test
  void callOfTensorflowServingHasASpan() {
    String trace = newTrace();
    var request =
        PredictRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName("half_plus_two"))
            .putInputs(
                "x",
                TensorProto.newBuilder()
                    .setDtype(DataType.DT_FLOAT)
                    .setTensorShape(
                        TensorShapeProto.newBuilder()
                            .addDim(TensorShapeProto.Dim.newBuilder().setSize(1)))
                    .addFloatVal(1)
                    .build())
            .build();
    var _ = PredictionServiceGrpc.newBlockingStub(tracing(trace)).predict(request);

    assertThat(attributes(assertStages(collector.trace(trace))))
        .containsEntry("rpc.service", "tensorflow.serving.PredictionService")
        .containsEntry("sluice.protocol", "tfs");
  }

  private static GrpsMessage grps(String model, float value) {
    var tensor =
        GenericTensor.newBuilder()
            .setName("x")
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32)
            .addShape(1)
            .addFlatFloat32(value);
    return GrpsMessage.newBuilder()
        .setModel(model)
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build();
  }

  @Test
  void requestOfGrpsOverHttpHasASpan() {
    String trace = newTrace();
    String body =
        """
        {"model":"half_plus_two","gtensors":{"tensors":[{"name":"x","dtype":"DT_FLOAT32","shape":[1],"flat_float32":[1]}]}}\
        """;
    var headers = Map.of("traceparent", traceparent(trace), "content-type", "application/json");
    assertThat(post("/grps/v1/infer/predict", body, headers).status()).isEqualTo(200);

    Span server = assertStages(collector.trace(trace));
    assertThat(server.getName()).isEqualTo("POST /grps/v1/infer/predict");
    assertThat(attributes(server)).containsEntry("sluice.protocol", "grps");
  }

  private static Field text(String text) {
    return Field.newBuilder().addLengthDelimited(ByteString.copyFromUtf8(text)).build();
  }

  @Test
  void callOfBrpcHasASpanByTheIdsOfItsClient() throws IOException {
    long id = NEXT.incrementAndGet();
    var request =
        UnknownFieldSet.newBuilder()
            .addField(1, text("grps.protos.v1.GrpsBrpcService"))
            .addField(2, text("Predict"))
            .addField(4, Field.newBuilder().addVarint(id).build())
            .addField(5, Field.newBuilder().addVarint(Long.parseLong(PARENT, 16)).build())
            .build();
    byte[] meta =
        UnknownFieldSet.newBuilder()
            .addField(1, Field.newBuilder().addLengthDelimited(request.toByteString()).build())
            .addField(4, Field.newBuilder().addVarint(1).build())
            .build()
            .toByteArray();
    try (var brpc = new BrpcClient(server.port())) {
      brpc.send(BrpcClient.frame(meta, grps("half_plus_two", 1).toByteArray()));
      assertThat(brpc.answer().errorCode()).isZero();
    }

    Span server = assertStages(collector.trace("%032x".formatted(id)));
    assertThat(server.getName()).isEqualTo("grps.protos.v1.GrpsBrpcService/Predict");
    assertThat(attributes(server)).containsEntry("rpc.system", "brpc");
  }

  @Test
  void callOfBrpcHasASpanByTheContextAmongItsUserFields() throws IOException {
    String trace = newTrace();
    var call =
        new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1)
            .saying(Map.of("traceparent", "00-" + trace + "-" + PARENT + "-01"));
    try (var brpc = new BrpcClient(server.port())) {
      assertThat(brpc.ask(call, grps("half_plus_two", 1).toByteArray()).errorCode()).isZero();
    }

    assertThat(attributes(assertStages(collector.trace(trace))))
        .containsEntry("rpc.system", "brpc");
  }

  @Test
  void streamHasOneSpanWithAnEventForEachMessage() {
    String trace = newTrace();
    var request =
        GrpsMessage.newBuilder()
            .setModel("table")
            .setGtensors(
                GenericTensorData.newBuilder()
                    .addTensors(
                        GenericTensor.newBuilder()
                            .setName("at")
                            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_INT64)
                            .addShape(3)
                            .addFlatInt64(0)
                            .addFlatInt64(1)
                            .addFlatInt64(2)))
            .build();
    int messages = 0;
    var answers = GrpsServiceGrpc.newBlockingStub(tracing(trace)).predictStreaming(request);
    while (answers.hasNext()) {
      var _ = answers.next();
      messages++;
    }

    Span server = server(collector.trace(trace));
    assertThat(messages).isEqualTo(2);
    assertThat(server.getEventsList()).hasSize(messages);
    assertThat(server.getEvents(0).getName()).isEqualTo("message sent");
  }

  /** Sends the messages of a stream of V2, and returns how many answers came. */
  private static int streamed(String trace, ModelInferRequest... messages) {
    var done = new CompletableFuture<Integer>();
    var answers = new ArrayList<ModelStreamInferResponse>();
    StreamObserver<ModelInferRequest> requests =
        GRPCInferenceServiceGrpc.newStub(tracing(trace))
            .modelStreamInfer(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ModelStreamInferResponse answer) {
                    answers.add(answer);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    done.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {
                    done.complete(answers.size());
                  }
                });
    for (ModelInferRequest message : messages) {
      requests.onNext(message);
    }
    requests.onCompleted();
    return done.orTimeout(20, TimeUnit.SECONDS).join();
  }

  @Test
  void requestsOfAStreamOfV2HaveSpansBelowTheStreams() {
    String trace = newTrace();
    assertThat(streamed(trace, infer("half_plus_two"), infer("half_plus_two"))).isEqualTo(2);

    List<Span> spans = collector.trace(trace);
    Span stream = server(spans);
    List<Span> each =
        spans.stream().filter(span -> span.getName().equals("stream request")).toList();
    assertThat(each).hasSize(2).allMatch(span -> parentId(span).equals(spanId(stream)));
    assertThat(spans)
        .filteredOn(span -> span.getName().equals("run"))
        .hasSize(2)
        .allMatch(run -> each.stream().anyMatch(span -> parentId(run).equals(spanId(span))));
    assertThat(stream.getEventsCount()).isEqualTo(2);
  }

  @Test
  void streamOfV2WithAMessageThatFailsHasTheStatusThatTheCallEndedWith() {
    String trace = newTrace();
    assertThat(streamed(trace, infer("half_plus_two"), infer("none"))).isEqualTo(2);

    assertThat(attributes(server(collector.trace(trace))))
        .containsEntry("rpc.grpc.status_code", "0")
        .containsEntry("error.type", "not_found");
  }

  @Test
  void membersOfAnEnsembleHaveSpansBelowItsOwn() {
    String trace = newTrace();
    var answer = post("/v2/models/chain/infer", v2(), Map.of("traceparent", traceparent(trace)));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);

    List<Span> spans = collector.trace(trace);
    List<Span> members =
        spans.stream().filter(span -> span.getName().equals("member half_plus_two")).toList();
    assertThat(members).hasSize(2).allMatch(m -> parentId(m).equals(spanId(server(spans))));
    assertThat(spans)
        .filteredOn(span -> span.getName().equals("run"))
        .extracting(OtlpCollector::parentId)
        .containsExactlyInAnyOrderElementsOf(members.stream().map(OtlpCollector::spanId).toList());
  }

  private static CompletableFuture<Answer> slow(@Nullable String trace) {
    String body =
        """
        {"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]}]}\
        """;
    Map<String, String> headers =
        trace == null ? Map.of() : Map.of("traceparent", traceparent(trace));
    return CompletableFuture.supplyAsync(() -> post("/v2/models/slow/infer", body, headers));
  }

  @Test
  void joinedRequestsShareOneRunWithLinksBothWays() {
    String first = newTrace();
    String second = newTrace();
    CompletableFuture.allOf(slow(first), slow(second)).join();

    Span one = named(collector.trace(first), "run");
    Span other = named(collector.trace(second), "run");
    assertThat(one.getLinksCount()).isEqualTo(1);
    assertThat(one.getLinks(0)).isEqualTo(other.getLinks(0));
    ByteString shared = one.getLinks(0).getSpanId();
    Span run =
        collector.await("joined run", span -> span.getSpanId().equals(shared)).stream()
            .filter(span -> span.getSpanId().equals(shared))
            .findFirst()
            .orElseThrow();
    assertThat(run.getName()).isEqualTo("joined run");
    assertThat(run.getParentSpanId().isEmpty()).isTrue();
    assertThat(attributes(run))
        .containsEntry("sluice.batch.requests", "2")
        .containsEntry("sluice.batch.rows", "2");
    assertThat(run.getLinksList())
        .extracting(Span.Link::getSpanId)
        .containsExactlyInAnyOrder(
            server(collector.trace(first)).getSpanId(),
            server(collector.trace(second)).getSpanId());
  }

  @Test
  void requestThatWaitedForABatchHasASpanOfItsDelayBetweenQueueAndRun() {
    String trace = newTrace();
    var answer = post("/v2/models/patient/infer", v2(), Map.of("traceparent", traceparent(trace)));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);

    List<Span> spans = collector.trace(trace);
    Span server = assertStages(spans);
    Span delay = named(spans, "batch delay");
    assertThat(parentId(delay)).isEqualTo(spanId(server));
    assertThat(delay.getStartTimeUnixNano()).isEqualTo(named(spans, "queue").getEndTimeUnixNano());
    assertThat(delay.getEndTimeUnixNano()).isEqualTo(named(spans, "run").getStartTimeUnixNano());
    assertThat(delay.getEndTimeUnixNano() - delay.getStartTimeUnixNano())
        .isGreaterThan(100_000_000);
  }
}
