package dev.sluice.extension;

/**
 * A model that answers a request by any number of messages, each at any time. A class that is a
 * {@link Model} too is asked as that by calls that do not stream; otherwise it is asked by streams
 * only.
 *
 * <p>Threads: one for each open stream, as many as the setting {@code stream.max_streams} allows.
 */
public interface StreamingModel extends Extension {
  /**
   * Returns the inputs of the model, and the outputs of each message. Asked once, after {@link
   * #open}.
   */
  ModelSignature signature();

  /**
   * Answers a request. The stream ends when this method returns, and with a failure if it throws.
   *
   * <p>The time limit holds for the time from one message to the next, without the time that the
   * reader takes.
   *
   * @param emitter sends messages
   */
  void run(Request request, Emitter emitter) throws Exception;
}
