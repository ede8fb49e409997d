package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The models as a TensorFlow Serving model config file lists them.
 *
 * @param file model config file of TensorFlow Serving, which alone then says what is served
 * @param pollInterval interval at which the file is read again; 0s: on SIGHUP only
 * @param labelsForUnavailable whether a new label may name a version that does not serve yet
 * @param batchingInVersions whether a {@code batching_params.pbtxt} in a version's folder
 *     configures its batching
 */
public record TensorflowModelsConfig(
    Optional<Path> file,
    Duration pollInterval,
    boolean labelsForUnavailable,
    boolean batchingInVersions) {
  public static final TensorflowModelsConfig DEFAULT =
      new TensorflowModelsConfig(Optional.empty(), Duration.ZERO, false, false);

  static TensorflowModelsConfig read(Section tensorflow) {
    return new TensorflowModelsConfig(
        tensorflow.text("file").map(Path::of),
        tensorflow.duration("poll_interval", DEFAULT.pollInterval),
        tensorflow.flag("labels_for_unavailable", DEFAULT.labelsForUnavailable),
        tensorflow.flag("batching_in_versions", DEFAULT.batchingInVersions));
  }
}
