package dev.sluice.extension;

import java.util.List;
import java.util.Map;

/**
 * Asks models of the same server. Any thread of a plugin.
 *
 * <p>Goes the way of any other request: admission control, queue, batching and deadlines apply.
 * Waits for the answer, on the plugin's thread.
 */
public interface Models {
  /** Takes the messages of a stream. */
  @FunctionalInterface
  interface Reader {
    /**
     * Takes the next message. On the thread that asked.
     *
     * @throws Exception of any kind, to stop the stream
     */
    void take(Answer message) throws Exception;
  }

  /**
   * Asks a model and waits for its answer.
   *
   * @param model its name; the latest version answers
   * @throws Refusal if there is no such model, or it refuses or fails
   */
  default Answer infer(String model, List<Value> inputs) throws InterruptedException {
    return infer(model, inputs, Map.of());
  }

  /**
   * Asks a model and waits for its answer.
   *
   * @param model its name; the latest version answers
   * @param parameters of the request, such as {@code temperature} and {@code max_tokens}: texts,
   *     numbers and flags
   * @throws Refusal if there is no such model, or it refuses or fails
   */
  Answer infer(String model, List<Value> inputs, Map<String, Object> parameters)
      throws InterruptedException;

  /**
   * Asks a model for a stream and waits for its end. Backpressure: the model works one message
   * ahead of the reader.
   *
   * @param model its name; the latest version answers
   * @param parameters of the request, such as {@code temperature} and {@code max_tokens}: texts,
   *     numbers and flags
   * @param reader takes the messages, in order, on this thread; {@code emitter::emit} passes them
   *     on
   * @throws Refusal if there is no such model, or it refuses or fails, also after some messages
   * @throws Exception that the reader has thrown; the stream is cancelled, as it is when this
   *     thread is interrupted
   */
  void stream(String model, List<Value> inputs, Map<String, Object> parameters, Reader reader)
      throws Exception;
}
