package dev.sluice.inference;

import java.util.List;
import java.util.Map;

/**
 * An HTTP request that a model's plugin answers by itself, and the answer. What is said of the
 * request is for any thread, all else for the call's event loop.
 */
public interface PluginHttpCall {
  /**
   * The request without its body.
   *
   * @param path still percent-encoded
   * @param query still percent-encoded, without the question mark; empty if there is none
   * @param headers by their names in lower case
   * @param streaming whether it asks for a stream, in its protocol's way
   */
  record Head(
      String method,
      String path,
      String query,
      Map<String, List<String>> headers,
      boolean streaming) {}

  /** Returns method, path, query and headers. */
  Head head();

  /** Returns the whole body, its content coding undone. Not to be changed. */
  byte[] body();

  /** Returns until when the answer is wanted. */
  Deadline deadline();

  /** Runs the action if the caller disconnects before the response is complete. */
  void onCancel(Runnable action);

  /** Sets a header of the answer, before it is begun. */
  void header(String name, String value);

  /** Answers at once. */
  void answer(int status, byte[] body);

  /** Begins an answer in chunks. */
  void begin(int status);

  /**
   * Returns whether the client has fallen behind, so that what is written now would pile up here.
   */
  boolean isWriteQueueFull();

  /** Runs the action as soon as the client has caught up. One action; another replaces it. */
  void onWritable(Runnable action);

  /** Sends one chunk. Does nothing if the caller disconnected. */
  void write(byte[] chunk);

  /** Ends an answer in chunks. */
  void end();

  /** Answers with a failure; if chunks were sent, its text is the last one. */
  void fail(InferenceException failure);
}
