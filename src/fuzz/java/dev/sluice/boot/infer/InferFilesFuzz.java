package dev.sluice.boot.infer;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * What {@code sluice infer} and {@code sluice replay} read, by the digit in front: 0 a file of
 * NumPy, 1 a line of an inference log, 2 an argument of {@code --input}, 3 a tensor on its standard
 * input.
 */
final class InferFilesFuzz implements FuzzTarget {
  private final InputFile file = new InputFile("input.npy");

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    switch (bytes.below(4)) {
      case 0 -> {
        Path path = file.with(bytes.rest());
        InputTensor read = Rejection.file(() -> npy(path));
        if (read != null) {
          requireWhole(read);
        }
      }
      case 1 -> recorded(bytes.text());
      case 2 -> argument(bytes.text(), InputStream.nullInputStream());
      default -> argument("x=-", new ByteArrayInputStream(bytes.rest()));
    }
  }

  private static InputTensor npy(Path path) {
    try {
      return NpyFile.read("x", path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void recorded(String line) {
    RecordedRequest record = RecordedRequest.read(1, line);
    if (record.skipped().isEmpty()) {
      record.body();
    }
    new TensorComparison(
        new Tolerance(0.1, 0.1), record.record().path("outputs"), record.record().path("inputs"));
    record.name();
    record.model();
    record.isGood();
  }

  private static void argument(String argument, InputStream stdin) {
    String values = argument.substring(argument.indexOf('=') + 1);
    if (values.startsWith("@") || values.endsWith(".npy")) {
      return; // Any file of this machine.
    }
    InputTensor read = Rejection.file(() -> InputTensor.parse(argument, stdin));
    if (read != null) {
      requireWhole(read);
    }
  }

  private static void requireWhole(InputTensor read) {
    long elements = read.shape().stream().mapToLong(Integer::longValue).reduce(1, (a, b) -> a * b);
    if (elements != read.data().size()) {
      throw new AssertionError(read.data().size() + " elements of shape " + read.shape());
    }
    read.nested();
  }
}
