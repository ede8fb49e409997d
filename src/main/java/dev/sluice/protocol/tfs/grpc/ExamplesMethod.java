package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.tfs.ExampleTask;
import dev.sluice.protocol.tfs.ExampleTasks;
import dev.sluice.protocol.tfs.grpc.wire.ExampleList;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles a Classify, Regress or MultiInference call: reads it, checks it against the model, copies
 * the examples, runs, writes.
 */
final class ExamplesMethod implements GrpcMethod {
  /** The question of a message, and its model. */
  private record Query(
      ModelSelector model, Function<ModelMetadata, ExampleTasks> inquiry, ExampleList examples) {}

  /** A question on its way, and what is to be done with the answer. Owns the request. */
  private record Asked(
      InferenceRequest request,
      ExampleTasks inquiry,
      int examples,
      RequestLogs.@Nullable Entry log) {}

  private interface Writer {
    /** Encodes the response message, in the form of the method. */
    Buffer write(InferenceResponse response, List<ExampleTasks.Result> results);
  }

  private final Api api;
  private final DataPlane data;
  private final PredictSettings settings;
  private final Function<Body, Query> reader;
  private final Writer writer;

  private ExamplesMethod(
      Api api,
      DataPlane data,
      PredictSettings settings,
      Function<Body, Query> reader,
      Writer writer) {
    this.api = api;
    this.data = data;
    this.settings = settings;
    this.reader = reader;
    this.writer = writer;
  }

  static ExamplesMethod classify(DataPlane data, PredictSettings settings) {
    return one(data, settings, ExampleTask.CLASSIFY, "ClassificationRequest");
  }

  static ExamplesMethod regress(DataPlane data, PredictSettings settings) {
    return one(data, settings, ExampleTask.REGRESS, "RegressionRequest");
  }

  private static ExamplesMethod one(
      DataPlane data, PredictSettings settings, ExampleTask task, String type) {
    return new ExamplesMethod(
        task == ExampleTask.CLASSIFY ? Api.TFS_CLASSIFY : Api.TFS_REGRESS,
        data,
        settings,
        message -> {
          ExamplesRequestView query = ExamplesRequestView.read(type, message);
          return new Query(
              query.model().selector(),
              model -> ExampleTasks.of(task, model, query.model().signature()),
              query.examples());
        },
        (response, results) -> ExampleResultsWriter.one(response.model(), results.getFirst()));
  }

  static ExamplesMethod multiInference(DataPlane data, PredictSettings settings) {
    return new ExamplesMethod(
        Api.TFS_MULTI_INFERENCE,
        data,
        settings,
        message -> {
          MultiInferenceTasks tasks = MultiInferenceTasks.read(message);
          return new Query(tasks.model(), tasks::inquiry, tasks.examples());
        },
        (response, results) -> ExampleResultsWriter.many(response.model(), results));
  }

  @Override
  public Future<Buffer> answer(GrpcCall call, Body message) {
    return call.compute(message.length(), () -> ask(call, reader.apply(message), message))
        .compose(asked -> infer(call, asked));
  }

  private static RequestLogs.Kind kind(Api api) {
    return switch (api) {
      case TFS_CLASSIFY -> RequestLogs.Kind.CLASSIFY;
      case TFS_REGRESS -> RequestLogs.Kind.REGRESS;
      default -> RequestLogs.Kind.MULTI_INFERENCE;
    };
  }

  private Asked ask(GrpcCall call, Query query, Body message) {
    call.measure(api, query.model().name());
    return TfsModels.admit(data, query.model(), call.caller())
        .handOver(model -> decode(call, query, model, message));
  }

  private Asked decode(GrpcCall call, Query query, ModelLease model, Body message) {
    ExampleTasks inquiry = query.inquiry().apply(model.metadata());
    Tensor examples = query.examples().toTensor(settings.maxFilledBytes());
    InferenceRequest request = inquiry.request(model, examples, call.deadline(), call.requestId());
    return new Asked(
        request,
        inquiry,
        query.examples().count(),
        settings.log(kind(api), query.model().name(), message));
  }

  private Future<Buffer> infer(GrpcCall call, Asked asked) {
    return call.ask(data, asked.request(), response -> write(call, asked, response))
        .onSuccess(answer -> {
          if (asked.log() != null) {
            asked.log().answered(answer.getBytes());
          }
        });
  }

  /** Counts the examples as well: TensorFlow Serving counts none of a run that failed. */
  private Buffer write(GrpcCall call, Asked asked, InferenceResponse response) {
    call.record().examples(response.model().name(), asked.examples());
    return writer.write(response, asked.inquiry().read(response, asked.examples()));
  }
}
