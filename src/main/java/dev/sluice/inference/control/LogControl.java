package dev.sluice.inference.control;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Caller;
import java.util.Arrays;
import java.util.Optional;

/**
 * The log's levels and format, and the switches for them. Reading is free; changing is a control
 * operation. Any thread.
 */
public interface LogControl {
  /**
   * The levels that are written.
   *
   * @param error failures that are the server's fault
   * @param warning what needs an operator's eye
   * @param info what happens
   * @param verbose how much of what only developers want: 0 for none of it
   * @param format how lines of text begin
   */
  record Levels(boolean error, boolean warning, boolean info, long verbose, Format format) {}

  /** The prefix of a line of text; by Triton's names. */
  enum Format {
    /** A letter for the level, month and day, the time, the process. */
    DEFAULT("default"),
    /** The time as ISO 8601 has it, and the level. */
    ISO8601("ISO8601");

    private final String text;

    Format(String text) {
      this.text = text;
    }

    /** Returns its name in settings. */
    public String text() {
      return text;
    }

    /** Returns the format of this name, if there is one. */
    public static Optional<Format> of(String name) {
      return Arrays.stream(values()).filter(format -> format.text.equals(name)).findFirst();
    }
  }

  /** Returns the levels that are written now. */
  Levels levels();

  /** Returns the file that the log goes to; empty for the standard error. */
  String file();

  /**
   * Writes these from now on.
   *
   * @throws InferenceException with PERMISSION_DENIED if the caller's listener does not allow it
   */
  void setLevels(Levels levels, Caller caller);
}
