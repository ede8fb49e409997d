package dev.sluice.config.server;

import dev.sluice.config.binding.Section;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Settings of TensorFlow Serving's protocol.
 *
 * @param tensorContent whether tensors in responses to Predict over gRPC are raw bytes instead of
 *     typed lists
 * @param requestLogFolder folder in which request logs lie that callers ask for
 *     (HandleReloadConfigRequest with a logging_config); empty: they may ask for none
 */
public record TfsConfig(boolean tensorContent, Optional<Path> requestLogFolder) {
  public static final TfsConfig DEFAULT = new TfsConfig(false, Optional.empty());

  /** Reads the settings of TensorFlow Serving. */
  public static TfsConfig read(Section tfs) {
    return new TfsConfig(
        tfs.flag("tensor_content", DEFAULT.tensorContent),
        tfs.text("request_log_folder").map(Path::of));
  }
}
