package dev.sluice.inference.access;

/**
 * The caller of a request, and its rights. Immutable; any thread.
 *
 * <p>A caller is an identity on a listener. Neither the address of the listener nor that of the
 * peer says anything about rights: behind a proxy, all clients come from loopback.
 */
public interface Caller {
  /** The server, acting for itself. */
  Caller SERVER = server("server");

  /** Returns the listener of the request, for log and error texts. */
  String listener();

  /**
   * Returns the name of the identity, such as {@code key:ci}: in texts and logs, and for what
   * belongs to it. All anonymous callers have one name.
   */
  String identity();

  /**
   * Returns the part of a model's streams and sequences that the identity may hold at once; 1 where
   * callers are not distinguished.
   */
  double share();

  /** Returns the highest priority that the caller may ask a model for; 1 is the highest of all. */
  int highestPriority(String model);

  /** Returns whether the caller presented no credential. */
  boolean isAnonymous();

  /**
   * Requires the right to an operation; of one that concerns a model, on any model at all.
   *
   * @throws dev.sluice.inference.InferenceException PERMISSION_DENIED, naming the operation, its
   *     role, the identity and the setting that allows it
   */
  void require(Operation operation);

  /**
   * Requires the right to an operation on one model.
   *
   * @throws dev.sluice.inference.InferenceException PERMISSION_DENIED, as {@link
   *     #require(Operation)}
   */
  void require(Operation operation, String model);

  /** Returns whether {@link #require(Operation, String)} would allow it: for lists of models. */
  boolean may(Operation operation, String model);

  /**
   * Returns the same identity with the server's own rights: to ask what a model is composed of,
   * which its owner has decided.
   */
  Caller withServerRights();

  /** Returns an identity with the server's own rights; see {@link #withServerRights}. */
  static Caller serverFor(Caller caller) {
    return new ServerCaller(
        caller.listener(), caller.identity(), caller.share(), caller.isAnonymous());
  }

  /** Returns the server itself, which may do everything: what a settings file asks for. */
  static Caller server(String source) {
    return new ServerCaller(source, "server", 1, false);
  }
}
