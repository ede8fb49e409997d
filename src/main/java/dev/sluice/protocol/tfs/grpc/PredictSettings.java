package dev.sluice.protocol.tfs.grpc;

/**
 * How Predict reads and writes tensors.
 *
 * @param maxFilledBytes the most memory that the inputs of one request may take beyond what its
 *     message carries, in bytes. A TensorProto with too few values repeats the last one, so that
 *     twenty bytes can ask for any amount of memory
 * @param tensorContent whether responses carry raw bytes in place of typed lists, as TensorFlow
 *     Serving does with {@code --enable_serialization_as_tensor_content}
 */
public record PredictSettings(long maxFilledBytes, boolean tensorContent) {
  /** As much repetition as a message may be long by default; typed lists in responses. */
  public static final PredictSettings DEFAULT = new PredictSettings(64L << 20, false);
}
