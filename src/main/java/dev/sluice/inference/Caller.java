package dev.sluice.inference;

/**
 * Where a request came in, as far as permission depends on it.
 *
 * @param listener the listener's address, for texts
 * @param mayControl whether that listener allows control operations
 */
public record Caller(String listener, boolean mayControl) {
  /**
   * Authorises a control operation: the one place where that is decided.
   *
   * @param operation its name, for the text
   * @throws InferenceException with PERMISSION_DENIED and which setting opens the door
   */
  public void requireControl(String operation) {
    if (!mayControl) {
      throw new InferenceException(
          ErrorCode.PERMISSION_DENIED,
          "'%s' is a control operation, which listener %s does not allow (setting control: true)"
              .formatted(operation, listener));
    }
  }
}
