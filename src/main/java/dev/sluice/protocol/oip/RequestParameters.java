package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;

/**
 * The parameters of a request, checked as they are put. What means something here is kept; free
 * ones, which other servers hand to the model, have nobody to go to and are only checked.
 */
public final class RequestParameters {
  /** What a parameter should have been. */
  public enum Wanted {
    BOOL,
    UNSIGNED,
    SEQUENCE_ID,
    TEXT
  }

  /** A face's words for a value of a wrong type. */
  @FunctionalInterface
  public interface Words {
    String wrongType(String name, Wanted wanted);
  }

  private static final String RESERVED = "triton_";
  private static final String EMPTY_FINAL = "triton_enable_empty_final_response";

  private final Words words;
  private long timeoutMicros;
  private long priority;
  private String signatureName = "";
  private boolean binaryOutput;

  public RequestParameters(Words words) {
    this.words = words;
  }

  /** How long an answer is wanted, in microseconds; 0 if the request does not say. */
  public long timeoutMicros() {
    return timeoutMicros;
  }

  /** The level asked for, 1 being the highest; 0 if the request does not say. */
  public long priority() {
    return priority;
  }

  /** Which signature of a SavedModel is meant; empty for the default one. Our own extension. */
  public String signatureName() {
    return signatureName;
  }

  /** Whether all outputs are wanted as binary data, if the request lists none. HTTP only. */
  public boolean binaryOutput() {
    return binaryOutput;
  }

  /**
   * Takes one parameter.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is reserved, or its value is of a wrong
   *     type or out of range
   */
  public void put(String name, ParameterValue value) {
    switch (name) {
      case "timeout" -> timeoutMicros = unsigned(name, value);
      case "priority" -> priority = unsigned(name, value);
      case "sequence_id" -> requireSequenceId(name, value);
      case "sequence_start", "sequence_end", EMPTY_FINAL -> flag(name, value);
      case "binary_data_output" -> binaryOutput = flag(name, value);
      case "signature_name" -> signatureName = text(name, value);
      default -> requireUnreserved(name);
    }
  }

  /** Refuses a name that only the server itself may use. */
  private static void requireUnreserved(String name) {
    if (name.startsWith(RESERVED)) {
      throw InferenceException.invalid(
          "parameter keys starting with 'triton_' are reserved for Triton usage and should not be"
              + " specified. Got '"
              + Excerpt.of(name)
              + "', only '"
              + EMPTY_FINAL
              + "' is allowed.");
    }
  }

  private long unsigned(String name, ParameterValue value) {
    if (!(value instanceof ParameterValue.Whole whole)) {
      throw wrongType(name, Wanted.UNSIGNED);
    }
    if (whole.value() < 0 && !whole.unsigned()) {
      throw InferenceException.invalid(
          "invalid value for '" + name + "', expected value >= 0. Got " + whole.value());
    }
    // Beyond the signed range lies no time or priority that differs from the largest one.
    return whole.value() < 0 ? Long.MAX_VALUE : whole.value();
  }

  private void requireSequenceId(String name, ParameterValue value) {
    if (!(value instanceof ParameterValue.Whole) && !(value instanceof ParameterValue.Text)) {
      throw wrongType(name, Wanted.SEQUENCE_ID);
    }
  }

  private boolean flag(String name, ParameterValue value) {
    if (value instanceof ParameterValue.Flag(boolean set)) {
      return set;
    }
    throw wrongType(name, Wanted.BOOL);
  }

  private String text(String name, ParameterValue value) {
    if (value instanceof ParameterValue.Text(String text)) {
      return text;
    }
    throw wrongType(name, Wanted.TEXT);
  }

  private InferenceException wrongType(String name, Wanted wanted) {
    return InferenceException.invalid(words.wrongType(name, wanted));
  }
}
