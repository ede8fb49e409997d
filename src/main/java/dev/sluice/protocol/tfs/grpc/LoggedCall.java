package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.control.RecordedRequests.Run;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.tfs.ExampleTask;
import dev.sluice.protocol.tfs.ExampleTasks;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.wire.ExampleList;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;
import java.util.Arrays;

/**
 * Asks a model what a PredictionLog holds, and looks at the answer as the call itself would. Which
 * model the log names has no meaning: it is asked of the one whose files it lies beside.
 *
 * @param model the one that is asked
 * @param run answers
 */
record LoggedCall(ModelLease model, PredictSettings settings, Run run) {
  private static final String REQUEST_ID = "warm-up";
  private static final int CLASSIFY = 2;
  private static final int REGRESS = 3;
  private static final int MULTI_INFERENCE = 4;
  private static final int SESSION_RUN = 5;
  private static final int PREDICT = 6;
  private static final int PREDICT_STREAMED = 7;
  private static final int REQUEST = 1 << 3 | ProtobufTag.DELIMITED;

  /** Runs a logged request; a log that holds none is skipped. */
  void run(byte[] record) {
    Log log = read(Body.of(record));
    switch (log.type()) {
      case CLASSIFY -> examples(ExampleTask.CLASSIFY, named(log.request()));
      case REGRESS -> examples(ExampleTask.REGRESS, named(log.request()));
      case MULTI_INFERENCE -> multiInference(log.request());
      case PREDICT -> predict(named(log.request()));
      case SESSION_RUN, PREDICT_STREAMED ->
          throw new InferenceException(
              ErrorCode.UNIMPLEMENTED, "Unsupported log_type for warmup: " + log.type());
      default -> {}
    }
  }

  /**
   * The last call of a log.
   *
   * @param type its field; 0 if there is none
   */
  private record Log(int type, Body request) {}

  private static Log read(Body record) {
    try {
      var last = new Log(0, Body.EMPTY);
      var reader = new ProtobufReader(record);
      for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
        int field = ProtobufTag.field(tag);
        boolean call = field >= CLASSIFY && field <= PREDICT_STREAMED;
        if (call && ProtobufTag.form(tag) == ProtobufTag.DELIMITED) {
          last = new Log(field, request(reader.bytes()));
        } else {
          reader.skip(tag);
        }
      }
      return last;
    } catch (ProtobufException e) {
      throw InferenceException.invalid("Failed to parse warmup record: " + e.getMessage());
    }
  }

  private static Body request(Body log) {
    Body request = Body.EMPTY;
    var reader = new ProtobufReader(log);
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      if (tag == REQUEST) {
        request = reader.bytes();
      } else {
        reader.skip(tag);
      }
    }
    return request;
  }

  /**
   * Returns the message with the model's own name: of a field that is there twice, the last one
   * counts.
   */
  private Body named(Body request) {
    var name = ModelSpec.newBuilder().setName(model.id().name());
    // Its field has the same number in each of these messages.
    byte[] last = PredictRequest.newBuilder().setModelSpec(name).build().toByteArray();
    byte[] all = Arrays.copyOfRange(request.bytes(), request.offset(), request.end() + last.length);
    System.arraycopy(last, 0, all, request.length(), last.length);
    return Body.of(all);
  }

  private void predict(Body message) {
    PredictPlan plan = PredictPlan.of(PredictRequestView.read(message), model, settings);
    try (InferenceResponse response = run.answer(plan.decode(Deadline.NONE, REQUEST_ID))) {
      PredictResponseWriter.write(response, settings);
    }
  }

  private void examples(ExampleTask task, Body message) {
    String type = task == ExampleTask.CLASSIFY ? "ClassificationRequest" : "RegressionRequest";
    ExamplesRequestView query = ExamplesRequestView.read(type, message);
    ask(ExampleTasks.of(task, model.metadata(), query.model().signature()), query.examples());
  }

  private void multiInference(Body message) {
    MultiInferenceTasks tasks = MultiInferenceTasks.read(message);
    ask(tasks.inquiry(model.metadata()), tasks.examples());
  }

  private void ask(ExampleTasks inquiry, ExampleList list) {
    Tensor examples = list.toTensor(settings.maxFilledBytes());
    InferenceRequest request = inquiry.request(model, examples, Deadline.NONE, REQUEST_ID);
    try (InferenceResponse response = run.answer(request)) {
      inquiry.read(response, list.count());
    }
  }
}
