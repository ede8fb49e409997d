package dev.sluice.runtime.tensorflow;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;

/**
 * The status that C functions write. It is used again and again, by one thread at a time, and holds
 * what the last function wrote.
 */
final class TfStatus implements AutoCloseable {
  private final long handle = TfApi.newStatus();

  long handle() {
    return handle;
  }

  /**
   * Throws what the last function wrote, in its very words: clients of TensorFlow Serving look for
   * them.
   */
  void check() {
    int code = TfApi.getCode(handle);
    if (code != 0) {
      throw new InferenceException(errorCode(code), TfApi.message(handle));
    }
  }

  /** TensorFlow's numbers are gRPC's. Those without a word here are failures of the model. */
  private static ErrorCode errorCode(int code) {
    return switch (code) {
      case 2 -> ErrorCode.UNKNOWN;
      case 3 -> ErrorCode.INVALID_ARGUMENT;
      case 5 -> ErrorCode.NOT_FOUND;
      case 6 -> ErrorCode.ALREADY_EXISTS;
      case 7 -> ErrorCode.PERMISSION_DENIED;
      case 8 -> ErrorCode.RESOURCE_EXHAUSTED;
      case 9 -> ErrorCode.FAILED_PRECONDITION;
      case 10 -> ErrorCode.ABORTED;
      case 11 -> ErrorCode.OUT_OF_RANGE;
      case 12 -> ErrorCode.UNIMPLEMENTED;
      case 14 -> ErrorCode.UNAVAILABLE;
      case 15 -> ErrorCode.DATA_LOSS;
      default -> ErrorCode.INTERNAL;
    };
  }

  @Override
  public void close() {
    TfApi.deleteStatus(handle);
  }
}
