package dev.sluice.protocol.tfs;

import dev.sluice.inference.ModelId;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationRequest;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationResponse;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationResult;
import dev.sluice.protocol.tfs.grpc.proto.Classifications;
import dev.sluice.protocol.tfs.grpc.proto.ExampleList;
import dev.sluice.protocol.tfs.grpc.proto.Input;
import dev.sluice.protocol.tfs.grpc.proto.Regression;
import dev.sluice.protocol.tfs.grpc.proto.RegressionResult;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.Tensor;

/**
 * Writes requests and responses that came another way as the messages of Classify and Regress.
 *
 * <p>Only for request logs: the hot path never builds these.
 */
public final class ExamplesMessages {
  private static final int LABEL = dev.sluice.protocol.tfs.grpc.proto.Class.LABEL_FIELD_NUMBER;
  private static final int SCORE = dev.sluice.protocol.tfs.grpc.proto.Class.SCORE_FIELD_NUMBER;

  private ExamplesMessages() {}

  /**
   * Returns a serialized ClassificationRequest or RegressionRequest, which have the same fields.
   *
   * @param signature as the request names it; empty if it does not
   * @param examples borrowed; a BYTES vector of serialized examples
   */
  public static byte[] request(ModelId model, String signature, Tensor examples) {
    var list = new ProtobufWriter();
    for (var elements = new BytesElements(examples); elements.next(); ) {
      list.bytes(
          ExampleList.EXAMPLES_FIELD_NUMBER, elements.data(), elements.offset(), elements.length());
    }
    return new ProtobufWriter()
        .message(
            ClassificationRequest.MODEL_SPEC_FIELD_NUMBER, PredictMessages.spec(model, signature))
        .message(
            ClassificationRequest.INPUT_FIELD_NUMBER,
            new ProtobufWriter().message(Input.EXAMPLE_LIST_FIELD_NUMBER, list))
        .toByteArray();
  }

  /** Returns a serialized ClassificationResponse or RegressionResponse. Borrows the result. */
  public static byte[] response(ModelId model, ExampleTasks.Result result) {
    ProtobufWriter findings =
        switch (result.findings()) {
          case ClassificationResults classes -> classes(classes);
          case RegressionResults values -> values(values);
        };
    return new ProtobufWriter()
        .message(ClassificationResponse.RESULT_FIELD_NUMBER, findings)
        .message(
            ClassificationResponse.MODEL_SPEC_FIELD_NUMBER,
            PredictMessages.spec(model, result.signature()))
        .toByteArray();
  }

  private static ProtobufWriter classes(ClassificationResults classes) {
    var result = new ProtobufWriter();
    LabelCursor labels = classes.labels();
    for (int row = 0; row < classes.rows(); row++) {
      var example = new ProtobufWriter();
      for (int column = 0; column < classes.width(); column++) {
        labels.next();
        var one = new ProtobufWriter();
        one.bytes(LABEL, labels.data(), labels.offset(), labels.length());
        example.message(
            Classifications.CLASSES_FIELD_NUMBER, one.fixed(SCORE, classes.score(row, column)));
      }
      result.message(ClassificationResult.CLASSIFICATIONS_FIELD_NUMBER, example);
    }
    return result;
  }

  private static ProtobufWriter values(RegressionResults values) {
    var result = new ProtobufWriter();
    for (int row = 0; row < values.rows(); row++) {
      result.message(
          RegressionResult.REGRESSIONS_FIELD_NUMBER,
          new ProtobufWriter().fixed(Regression.VALUE_FIELD_NUMBER, values.value(row)));
    }
    return result;
  }
}
