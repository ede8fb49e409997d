package dev.sluice.inference;

/**
 * What the server writes to its log, and the switches for it. Reading is free; changing is a
 * control operation. Any thread.
 */
public interface LogControl {
  /**
   * What is written.
   *
   * @param error failures that are the server's fault
   * @param warning what needs an operator's eye
   * @param info what happens
   * @param verbose how much of what only developers want: 0 for none of it
   */
  record Levels(boolean error, boolean warning, boolean info, long verbose) {}

  Levels levels();

  /**
   * Writes these from now on.
   *
   * @throws InferenceException with PERMISSION_DENIED if the caller's listener does not allow it
   */
  void setLevels(Levels levels, Caller caller);
}
