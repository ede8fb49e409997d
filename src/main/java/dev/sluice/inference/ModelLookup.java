package dev.sluice.inference;

/** Result of a model lookup. Each protocol handler has its own text for each kind of failure. */
public sealed interface ModelLookup {
  /** It takes requests. The caller holds a lease: see {@link ModelLease}. */
  record Found(ModelLease model) implements ModelLookup {}

  /** There is no model to ask, for one of several reasons. */
  sealed interface Missed extends ModelLookup {}

  record UnknownModel(String name) implements Missed {}

  record UnknownVersion(String name, long version) implements Missed {}

  record UnknownLabel(String name, String label) implements Missed {}

  /**
   * The version is known but takes no requests.
   *
   * @param version the version meant; -1 if the model has none that takes requests
   * @param state how far it is
   * @param reason why, for people; may be empty
   */
  record NotReady(String name, long version, VersionState state, String reason) implements Missed {
    /**
     * Returns the UNAVAILABLE failure that says so.
     *
     * @param message in the words of a protocol
     */
    public InferenceException unavailable(String message) {
      return switch (state) {
        case START, LOADING -> InferenceException.starting(message);
        case AVAILABLE, UNLOADING, END -> new InferenceException(ErrorCode.UNAVAILABLE, message);
      };
    }
  }
}
