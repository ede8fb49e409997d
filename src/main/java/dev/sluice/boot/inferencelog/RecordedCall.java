package dev.sluice.boot.inferencelog;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call that is being recorded. Of the event loop of its request until it has ended, then of the
 * writer's thread.
 */
final class RecordedCall {
  /** Responses of a stream that are kept. */
  private static final int MOST_RESPONSES = 1_000;

  private final long beganMillis = System.currentTimeMillis();
  private final long begun = System.nanoTime();
  private final TensorCopies copies;
  private final ModelId model;
  private final String signature;
  private final String requestId;
  private final List<String> wanted;
  private final List<RecordedTensor> inputs;
  private final List<List<RecordedTensor>> responses = new ArrayList<>();
  private final boolean streamed;
  private final long reserved;
  private int moreResponses;
  private long nanos;
  private @Nullable ErrorCode error;
  private String message = "";

  /** Copies the inputs of a request, which stays the caller's. */
  RecordedCall(InferenceRequest request, TensorCopies copies, boolean streamed) {
    this.copies = copies;
    this.model = request.model().id();
    this.signature = request.signature().name();
    this.requestId = request.requestId();
    this.wanted = request.outputs();
    this.streamed = streamed;
    this.inputs = copies.of(model.name(), request.inputs());
    this.reserved = streamed ? copies.most() : copies.bytes();
  }

  /** Copies a response, which stays the caller's. */
  void add(InferenceResponse response) {
    if (responses.size() < MOST_RESPONSES) {
      responses.add(copies.of(model.name(), response.outputs()));
    } else {
      moreResponses++;
    }
  }

  /** Ends it; once more does nothing. */
  boolean end(@Nullable Throwable failure) {
    if (nanos != 0) {
      return false;
    }
    nanos = Math.max(1, System.nanoTime() - begun);
    if (failure != null) {
      error = ErrorCode.of(failure);
      message =
          error == ErrorCode.INTERNAL
              ? "internal error"
              : BoundedText.ofError(String.valueOf(failure.getMessage()));
    }
    return true;
  }

  long beganMillis() {
    return beganMillis;
  }

  long nanos() {
    return nanos;
  }

  ModelId model() {
    return model;
  }

  String signature() {
    return signature;
  }

  String requestId() {
    return requestId;
  }

  /** Returns the names of the outputs that were asked for; empty for all. */
  List<String> wanted() {
    return wanted;
  }

  List<RecordedTensor> inputs() {
    return inputs;
  }

  List<List<RecordedTensor>> responses() {
    return responses;
  }

  /** Returns whether it may have any number of responses. */
  boolean isStreamed() {
    return streamed;
  }

  /** Returns how many responses were not kept. */
  int moreResponses() {
    return moreResponses;
  }

  /** Returns why it failed; null if it did not. */
  @Nullable ErrorCode error() {
    return error;
  }

  /** Returns the text of the failure, as clients get it. */
  String message() {
    return message;
  }

  /** Returns how many bytes it holds while it is under way, or may hold if it is a stream. */
  long reserved() {
    return reserved;
  }

  /** Returns how many bytes it holds. */
  long bytes() {
    return copies.bytes();
  }
}
