package dev.sluice.protocol.tfs.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.fieldSize;

import dev.sluice.inference.ModelId;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.tfs.ExampleTasks;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationResponse;
import dev.sluice.protocol.tfs.grpc.proto.InferenceResult;
import dev.sluice.protocol.tfs.grpc.proto.MultiInferenceResponse;
import dev.sluice.protocol.tfs.grpc.wire.EncodedResults;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/** Writes what was found out about examples, into one array of the right size. */
final class ExampleResultsWriter {
  private static final int RESULT = ClassificationResponse.RESULT_FIELD_NUMBER;
  private static final int MODEL_SPEC = ClassificationResponse.MODEL_SPEC_FIELD_NUMBER;
  private static final int RESULTS = MultiInferenceResponse.RESULTS_FIELD_NUMBER;
  private static final int RESULTS_MODEL_SPEC = InferenceResult.MODEL_SPEC_FIELD_NUMBER;

  private ExampleResultsWriter() {}

  /** Returns a ClassificationResponse or RegressionResponse. */
  static Buffer one(ModelId model, ExampleTasks.Result result) {
    byte[] spec = spec(model, result);
    EncodedResults findings = EncodedResults.of(result.findings());
    long size = fieldSize(RESULT, findings.size()) + fieldSize(MODEL_SPEC, spec.length);
    ProtobufWriter out = PredictResponseWriter.open(size);
    out.begin(RESULT, findings.size());
    findings.write(out);
    return out.bytes(MODEL_SPEC, spec).toBuffer();
  }

  /** Returns a MultiInferenceResponse. */
  static Buffer many(ModelId model, List<ExampleTasks.Result> results) {
    List<EncodedResults> findings = new ArrayList<>(results.size());
    List<byte[]> specs = new ArrayList<>(results.size());
    long size = 0;
    for (ExampleTasks.Result result : results) {
      findings.add(EncodedResults.of(result.findings()));
      specs.add(spec(model, result));
      size += fieldSize(RESULTS, size(findings.getLast(), specs.getLast()));
    }
    ProtobufWriter out = PredictResponseWriter.open(size);
    for (int i = 0; i < results.size(); i++) {
      write(findings.get(i), specs.get(i), out);
    }
    return out.toBuffer();
  }

  /** Returns the number of bytes of an InferenceResult. */
  private static long size(EncodedResults findings, byte[] spec) {
    return fieldSize(RESULTS_MODEL_SPEC, spec.length)
        + fieldSize(findings.field(), findings.size());
  }

  private static void write(EncodedResults findings, byte[] spec, ProtobufWriter out) {
    out.begin(RESULTS, size(findings, spec));
    out.bytes(RESULTS_MODEL_SPEC, spec);
    out.begin(findings.field(), findings.size());
    findings.write(out);
  }

  private static byte[] spec(ModelId model, ExampleTasks.Result result) {
    return PredictResponseWriter.modelSpec(model, result.signature()).toByteArray();
  }
}
