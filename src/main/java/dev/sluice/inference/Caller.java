package dev.sluice.inference;

/**
 * Who asks, and what they may do. Immutable; any thread.
 *
 * <p>A caller is an identity on a listener. Neither the address of the listener nor that of the
 * peer says anything about rights: behind a proxy, all clients come from loopback.
 */
public interface Caller {
  /** Where the request came in, for texts. */
  String listener();

  /** Names the identity in texts and logs, such as {@code anonymous} or {@code key:ci}. */
  String identity();

  /** Returns whether the caller presented no credential. */
  boolean isAnonymous();

  /**
   * Requires the right to an operation; of one that concerns a model, on any model at all.
   *
   * @throws InferenceException PERMISSION_DENIED, naming the operation, its role, the identity and
   *     the setting that allows it
   */
  void require(Operation operation);

  /**
   * Requires the right to an operation on one model.
   *
   * @throws InferenceException PERMISSION_DENIED, as {@link #require(Operation)}
   */
  void require(Operation operation, String model);

  /** Returns the server itself, which may do everything: what a settings file asks for. */
  static Caller server(String source) {
    return new ServerCaller(source);
  }
}
