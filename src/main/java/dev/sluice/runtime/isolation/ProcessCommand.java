package dev.sluice.runtime.isolation;

/** Commands from the server to a model process. Values are the first byte of a message. */
final class ProcessCommand {
  /** Open a model: runtime, model, folder, settings. Answered. */
  static final byte OPEN = 1;

  /** Map a region: number, file, bytes. Answered. */
  static final byte MAP = 2;

  /** Unmap a region: number. */
  static final byte UNMAP = 3;

  /** Run the model: signature, inputs, outputs, the region for them. Answered. */
  static final byte RUN = 4;

  /** Write the outputs of the last run into another region: number. Answered. */
  static final byte WRITE = 5;

  /** Forget the outputs of the last run. */
  static final byte DROP = 6;

  /** End the run under way, and later ones. */
  static final byte INTERRUPT = 7;

  /** Let runs be runs again. */
  static final byte RESUME = 8;

  private ProcessCommand() {}
}
