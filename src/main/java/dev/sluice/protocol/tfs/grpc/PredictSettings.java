package dev.sluice.protocol.tfs.grpc;

import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.protocol.tfs.requestlog.RequestLogs.Kind;
import dev.sluice.transport.Body;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Settings of how Predict reads and writes tensors.
 *
 * @param maxFilledBytes the most memory that the inputs of one request may take beyond what its
 *     message carries, in bytes. A TensorProto with too few values repeats the last one, so that
 *     twenty bytes can ask for any amount of memory
 * @param tensorContent whether responses carry raw bytes in place of typed lists, as TensorFlow
 *     Serving does with {@code --enable_serialization_as_tensor_content}
 * @param logs keep calls; null: none is kept
 */
public record PredictSettings(
    long maxFilledBytes, boolean tensorContent, @Nullable RequestLogs logs) {
  /** Without logs of requests. */
  public PredictSettings(long maxFilledBytes, boolean tensorContent) {
    this(maxFilledBytes, tensorContent, null);
  }

  /** Returns the entry of a call that is kept; null if it is not. */
  RequestLogs.@Nullable Entry log(Kind kind, String model, Body message) {
    return logs == null
        ? null
        : logs.begin(
            kind,
            model,
            () -> {
              Body heap = message.onHeap();
              return Arrays.copyOfRange(heap.bytes(), heap.offset(), heap.end());
            });
  }

  /** As many repeated elements as a message may be long by default; typed lists in responses. */
  public static final PredictSettings DEFAULT = new PredictSettings(64L << 20, false);
}
