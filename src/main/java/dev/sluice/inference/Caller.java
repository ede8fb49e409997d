package dev.sluice.inference;

import java.util.Optional;

/**
 * Where a request came in, as far as permission depends on it.
 *
 * @param listener the listener's address, for texts
 * @param mayControl whether that listener allows control operations
 * @param controlRefusal why this very request may not control, as one by a foreign page
 */
public record Caller(
    String listener, boolean mayControl, Optional<InferenceException> controlRefusal) {
  /** A caller whose rights depend on the listener alone. */
  public Caller(String listener, boolean mayControl) {
    this(listener, mayControl, Optional.empty());
  }

  /** The same caller by a request that may not control, whoever sends it. */
  public Caller withoutControl(InferenceException why) {
    return new Caller(listener, mayControl, Optional.of(why));
  }

  /**
   * Authorises a control operation: the one place where that is decided.
   *
   * @param operation its name, for the text
   * @throws InferenceException with PERMISSION_DENIED and which setting opens the door
   */
  public void requireControl(String operation) {
    controlRefusal.ifPresent(why -> {
      throw why;
    });
    if (!mayControl) {
      throw new InferenceException(
          ErrorCode.PERMISSION_DENIED,
          "'%s' is a control operation, which listener %s does not allow (setting control: true)"
              .formatted(operation, listener));
    }
  }
}
