package dev.sluice.extension;

/**
 * Answers HTTP requests by itself, on the path that the setting {@code java.path} names, and in
 * grps' custom mode.
 *
 * <p>Threads: one for each request under way, as many as {@code stream.max_streams} allows.
 */
public interface HttpHandler extends Extension {
  /**
   * Answers a request. If it returns without having written anything, the answer is 200 and empty;
   * if it throws before that, an error; if it throws in the middle of a chunked answer, the
   * exception's text is the last chunk.
   *
   * @param request its body is whole, within the listener's limits
   * @param reply to be written here
   */
  void handle(HttpRequest request, HttpReply reply) throws Exception;
}
