package dev.sluice.config.compat.tfs;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Files that flags of TensorFlow Serving name, by the digit in front: 0 batching parameters, 1 the
 * threads among them, 2 a batching file in a version's folder, 3 monitoring, 4 a platform's config,
 * 5 a session's, 6 TLS.
 */
final class TfsServerFileFuzz implements FuzzTarget {
  private final InputFile file = new InputFile("batching_params.pbtxt");

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    int kind = bytes.below(7);
    Path path = file.with(bytes.rest());
    var _ = Rejection.file(reader(kind, path));
  }

  private static Supplier<?> reader(int kind, Path path) {
    Path folder = Objects.requireNonNull(path.getParent());
    return switch (kind) {
      case 0 -> () -> TensorflowBatchingFile.read(Optional.of(path), _ -> {});
      case 1 -> () -> TensorflowBatchingFile.threads(Optional.of(path));
      case 2 -> () -> TensorflowBatchingFile.ofVersion(folder, ModelConfig.DEFAULT, _ -> {});
      case 3 -> () -> TensorflowMonitoringFile.read(path, _ -> {});
      case 4 -> () -> TensorflowPlatformFile.read(path, _ -> {});
      case 5 -> () -> TensorflowSessionFile.read(path);
      default -> () -> TensorflowSslFile.read(path, _ -> {});
    };
  }
}
