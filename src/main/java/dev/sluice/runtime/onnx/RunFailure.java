package dev.sluice.runtime.onnx;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run that ONNX Runtime ended with an error, or that is not to be answered with. What kind it is
 * is decided by the runtime's error code where that suffices, and else by the text.
 */
final class RunFailure extends RuntimeException {
  /** The kind of a run's failure. */
  enum Kind {
    /** The runtime, or an operator, refused the inputs as invalid. */
    REFUSED_INPUT,
    /** The memory that was given for an output has another shape, or was not written. */
    OUTPUT_MEMORY,
    /** There is no memory for what the run asked for. */
    MEMORY,
    /** An operator ended the run, for its inputs as far as its code says. */
    OPERATOR,
    /** The runtime failed. */
    OTHER
  }

  private static final int FAIL = 1;
  private static final int INVALID_ARGUMENT = 2;
  private static final int RUNTIME_EXCEPTION = 6;

  /**
   * Codes of operators that check what they get: Gather returns 2 for an index out of range,
   * GatherElements 1, and what is written as an assertion is 6. Others are of the library, such as
   * 9 for an operator that it does not have.
   */
  private static final Set<Integer> CHECKS = Set.of(FAIL, INVALID_ARGUMENT, RUNTIME_EXCEPTION);

  /** The runtime's words for memory that does not fit an output; never for an input. */
  private static final List<String> WRONG_SHAPE =
      List.of(
          "The output OrtValue provided for output",
          "Got invalid dimensions for output",
          "Invalid rank for output");

  private static final String OPERATOR_FAILED = "Non-zero status code returned while running";

  /** The runtime's words for an arena that cannot grow, or a size that overflows. */
  private static final List<String> NO_MEMORY =
      List.of(
          "Failed to allocate memory",
          "smaller than requested bytes",
          "Integer overflow",
          "storage size overflowed",
          "bad_alloc");

  private static final Pattern REQUESTED = Pattern.compile("requested b\\w+ of (?:size )?(\\d+)");

  /** Digits of a size that no machine that serves models on its cores has. */
  private static final int DIGITS_OF_A_TERABYTE = 13;

  private final Kind kind;

  private RunFailure(Kind kind, String message) {
    super(message, null, false, false);
    this.kind = kind;
  }

  /**
   * Classifies what a run returned.
   *
   * @param code of the runtime, not 0
   */
  static RunFailure of(int code, String text) {
    return new RunFailure(kind(code, text), text);
  }

  private static Kind kind(int code, String text) {
    if (code == INVALID_ARGUMENT) {
      return WRONG_SHAPE.stream().anyMatch(text::contains)
          ? Kind.OUTPUT_MEMORY
          : Kind.REFUSED_INPUT;
    }
    if (NO_MEMORY.stream().anyMatch(text::contains)) {
      return Kind.MEMORY;
    }
    return CHECKS.contains(code) && text.startsWith(OPERATOR_FAILED) ? Kind.OPERATOR : Kind.OTHER;
  }

  /**
   * Returns the run succeeded, but did not write an output into the memory that was given for it.
   */
  static RunFailure unwrittenOutput() {
    return new RunFailure(Kind.OUTPUT_MEMORY, "the run did not write an output");
  }

  /**
   * Returns whether a run asked for less memory than there may be, and could not have it now.
   *
   * @param limit bytes that sessions may take together; 0: as many as a machine has
   */
  boolean mayWorkLater(long limit) {
    Matcher size = REQUESTED.matcher(getMessage());
    return kind == Kind.MEMORY
        && size.find()
        && size.group(1).length() < DIGITS_OF_A_TERABYTE
        && (limit == 0 || Long.parseLong(size.group(1)) <= limit);
  }

  Kind kind() {
    return kind;
  }

  /** Returns whether an operator ended the run, whatever the code. */
  boolean isOfOperator() {
    return getMessage().startsWith(OPERATOR_FAILED);
  }

  /** Returns the text for the client. Never null. */
  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? kind.name() : message;
  }
}
