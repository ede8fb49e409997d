package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.control.RecordedRequests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The warm-up file of a SavedModel: a TFRecord of PredictionLogs.
 *
 * <p>Read when a version is loaded. Each record is replayed as often as the settings say; the
 * format is TensorFlow Serving's {@code tf_serving_warmup_requests}.
 */
public record WarmUpRequests(PredictSettings settings) implements RecordedRequests {
  private static final String FILE = "assets.extra/tf_serving_warmup_requests";
  private static final int MOST_RECORDS = 1_000;

  @Override
  public boolean areIn(Path folder) {
    return Files.exists(folder.resolve(FILE));
  }

  @Override
  public int replay(Path folder, ModelLease model, int iterations, Run run) {
    Path file = folder.resolve(FILE);
    try (var records = new TfRecordReader(file)) {
      return replay(records, file, new LoggedCall(model, settings, run), iterations);
    } catch (IOException e) {
      throw new InferenceException(
          ErrorCode.DATA_LOSS,
          "%s of %s. Please verify your warmup data is in TFRecord format."
              .formatted(e.getMessage(), file),
          e);
    }
  }

  private static int replay(TfRecordReader records, Path file, LoggedCall call, int iterations)
      throws IOException {
    int count = 0;
    for (byte[] record = records.next(); record != null; record = records.next()) {
      if (++count > MOST_RECORDS) {
        throw InferenceException.invalid(
            "Number of warmup records exceeds the maximum (%d) at %s"
                .formatted(MOST_RECORDS, file));
      }
      replay(record, count, file, call, iterations);
    }
    return count;
  }

  private static void replay(
      byte[] record, int number, Path file, LoggedCall call, int iterations) {
    try {
      for (int i = 0; i < iterations; i++) {
        call.run(record);
      }
    } catch (InferenceException e) {
      throw new InferenceException(
          e.code(), "warmup record %d of %s: %s".formatted(number, file, e.getMessage()), e);
    }
  }
}
