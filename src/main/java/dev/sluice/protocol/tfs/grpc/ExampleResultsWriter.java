package dev.sluice.protocol.tfs.grpc;

import static dev.sluice.protocol.tfs.grpc.wire.TfsWireWriter.delimitedSize;

import dev.sluice.inference.ModelId;
import dev.sluice.protocol.tfs.ExampleTasks;
import dev.sluice.protocol.tfs.grpc.wire.EncodedResults;
import dev.sluice.protocol.tfs.grpc.wire.TfsWireWriter;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/** Writes what was found out about examples, into one array of the right size. */
final class ExampleResultsWriter {
  private static final int RESULT = 1 << 3 | 2;
  private static final int MODEL_SPEC = 2 << 3 | 2;
  private static final int RESULTS = 1 << 3 | 2;
  private static final int RESULTS_MODEL_SPEC = 1 << 3 | 2;

  private ExampleResultsWriter() {}

  /** Returns a ClassificationResponse or RegressionResponse. */
  static Buffer one(ModelId model, ExampleTasks.Result result) {
    byte[] spec = spec(model, result);
    EncodedResults findings = EncodedResults.of(result.findings());
    long size = 1 + delimitedSize(findings.size()) + 1 + delimitedSize(spec.length);
    byte[] message = PredictResponseWriter.allocate(size);
    var out = new TfsWireWriter(message);
    out.open(RESULT, findings.size());
    findings.write(out);
    out.open(MODEL_SPEC, spec.length);
    out.bytes(spec);
    return Buffers.wrap(message, 0, out.position());
  }

  /** Returns a MultiInferenceResponse. */
  static Buffer many(ModelId model, List<ExampleTasks.Result> results) {
    List<EncodedResults> findings = new ArrayList<>(results.size());
    List<byte[]> specs = new ArrayList<>(results.size());
    long size = 0;
    for (ExampleTasks.Result result : results) {
      findings.add(EncodedResults.of(result.findings()));
      specs.add(spec(model, result));
      size += 1 + delimitedSize(size(findings.getLast(), specs.getLast()));
    }
    byte[] message = PredictResponseWriter.allocate(size);
    var out = new TfsWireWriter(message);
    for (int i = 0; i < results.size(); i++) {
      write(findings.get(i), specs.get(i), out);
    }
    return Buffers.wrap(message, 0, out.position());
  }

  /** Returns the number of bytes of an InferenceResult. */
  private static long size(EncodedResults findings, byte[] spec) {
    return 1 + delimitedSize(spec.length) + 1 + delimitedSize(findings.size());
  }

  private static void write(EncodedResults findings, byte[] spec, TfsWireWriter out) {
    out.open(RESULTS, size(findings, spec));
    out.open(RESULTS_MODEL_SPEC, spec.length);
    out.bytes(spec);
    out.open(findings.field() << 3 | 2, findings.size());
    findings.write(out);
  }

  private static byte[] spec(ModelId model, ExampleTasks.Result result) {
    return PredictResponseWriter.modelSpec(model, result.signature()).toByteArray();
  }
}
