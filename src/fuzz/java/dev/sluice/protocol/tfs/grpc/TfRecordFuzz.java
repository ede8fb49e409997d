package dev.sluice.protocol.tfs.grpc;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputFile;
import java.io.IOException;
import java.nio.file.Path;

/** TFRecord files of recorded requests: as many bytes come out as went in, or an IOException. */
final class TfRecordFuzz implements FuzzTarget {
  private final InputFile file = new InputFile("tf_serving_warmup_requests");

  @Override
  public void accept(byte[] input) {
    Path path = file.with(input);
    long bytes = 0;
    try (var records = new TfRecordReader(path)) {
      for (byte[] record = records.next(); record != null; record = records.next()) {
        bytes += record.length;
      }
    } catch (IOException e) {
      if (e.getMessage() == null) {
        throw new AssertionError("no text", e);
      }
    }
    if (bytes > input.length) {
      throw new AssertionError(bytes + " bytes out of " + input.length);
    }
  }
}
