package dev.sluice.extension;

import java.util.List;

/**
 * Asks models of the same server. Any thread of a plugin.
 *
 * <p>Goes the way of any other request: admission control, queue, batching and deadlines apply.
 * Waits for the answer, on the plugin's thread.
 */
public interface Models {
  /**
   * Asks a model and waits for its answer.
   *
   * @param model its name; the latest version answers
   * @throws Refusal if there is no such model, or it refuses or fails
   */
  Answer infer(String model, List<Value> inputs) throws InterruptedException;
}
