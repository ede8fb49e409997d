package dev.sluice.protocol.tfs;

import dev.sluice.inference.ModelId;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.Tensor;

/**
 * Writes requests and responses that came another way as the messages of Classify and Regress.
 *
 * <p>Only for request logs: the hot path never builds these.
 */
public final class ExamplesMessages {
  private static final int MODEL_SPEC = 1;
  private static final int INPUT = 2;
  private static final int EXAMPLE_LIST = 1;
  private static final int EXAMPLES = 1;
  private static final int RESULT = 1;
  private static final int SPEC_OF_RESPONSE = 2;

  private ExamplesMessages() {}

  /**
   * Returns a serialized ClassificationRequest or RegressionRequest, which have the same fields.
   *
   * @param signature as the request names it; empty if it does not
   * @param examples borrowed; a BYTES vector of serialized examples
   */
  public static byte[] request(ModelId model, String signature, Tensor examples) {
    var list = new ProtobufBuilder();
    for (var elements = new BytesElements(examples); elements.next(); ) {
      list.bytes(EXAMPLES, elements.data(), elements.offset(), elements.length());
    }
    return new ProtobufBuilder()
        .message(MODEL_SPEC, spec(model, signature))
        .message(INPUT, new ProtobufBuilder().message(EXAMPLE_LIST, list))
        .toByteArray();
  }

  /** Returns a serialized ClassificationResponse or RegressionResponse. Borrows the result. */
  public static byte[] response(ModelId model, ExampleTasks.Result result) {
    ProtobufBuilder findings =
        switch (result.findings()) {
          case ClassificationResults classes -> classes(classes);
          case RegressionResults values -> values(values);
        };
    return new ProtobufBuilder()
        .message(RESULT, findings)
        .message(SPEC_OF_RESPONSE, spec(model, result.signature()))
        .toByteArray();
  }

  private static ProtobufBuilder spec(ModelId model, String signature) {
    var spec =
        new ProtobufBuilder()
            .text(1, model.name())
            .message(2, new ProtobufBuilder().number(1, model.version()));
    return signature.isEmpty() ? spec : spec.text(3, signature);
  }

  private static ProtobufBuilder classes(ClassificationResults classes) {
    var result = new ProtobufBuilder();
    LabelCursor labels = classes.labels();
    for (int row = 0; row < classes.rows(); row++) {
      var example = new ProtobufBuilder();
      for (int column = 0; column < classes.width(); column++) {
        labels.next();
        var one = new ProtobufBuilder();
        one.bytes(1, labels.data(), labels.offset(), labels.length());
        example.message(1, one.fixed(2, classes.score(row, column)));
      }
      result.message(1, example);
    }
    return result;
  }

  private static ProtobufBuilder values(RegressionResults values) {
    var result = new ProtobufBuilder();
    for (int row = 0; row < values.rows(); row++) {
      result.message(1, new ProtobufBuilder().fixed(1, values.value(row)));
    }
    return result;
  }
}
