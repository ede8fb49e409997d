package dev.sluice.config;

/**
 * What the protocol of TensorFlow Serving leaves to the server.
 *
 * @param tensorContent whether tensors in responses to Predict over gRPC are raw bytes instead of
 *     typed lists
 */
public record TfsConfig(boolean tensorContent) {
  public static final TfsConfig DEFAULT = new TfsConfig(false);

  static TfsConfig read(Section tfs) {
    return new TfsConfig(tfs.flag("tensor_content", DEFAULT.tensorContent));
  }
}
