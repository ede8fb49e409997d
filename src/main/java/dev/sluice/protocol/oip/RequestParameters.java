package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request, checked as they are put: those that mean something here, and free
 * ones for the model.
 */
public final class RequestParameters {
  /** The expected type of a parameter. */
  public enum Wanted {
    BOOL,
    UNSIGNED,
    SEQUENCE_ID,
    TEXT
  }

  /** A transport's text for a value of a wrong type. */
  @FunctionalInterface
  public interface Words {
    /** Returns the error text for a parameter of the wrong type, in the words of the endpoint. */
    String wrongType(String name, Wanted wanted);
  }

  private static final String RESERVED = "triton_";
  private static final String EMPTY_FINAL = "triton_enable_empty_final_response";

  /** Free parameters that a request may have: more than any model looks at. */
  private static final int MOST_FREE = 256;

  /** Characters of a sequence's id, which is kept after its request: as many as under Triton. */
  private static final int LONGEST_ID = 128;

  private final Words words;
  private long timeoutMicros;
  private long priority;
  private String signatureName = "";
  private boolean binaryOutput;
  private boolean emptyFinal;
  private @Nullable ParameterValue sequenceId;
  private boolean sequenceStart;
  private boolean sequenceEnd;
  private @Nullable Map<String, ParameterValue> free;

  public RequestParameters(Words words) {
    this.words = words;
  }

  /** Returns how long an answer is wanted, in microseconds; 0 if the request does not say. */
  public long timeoutMicros() {
    return timeoutMicros;
  }

  /**
   * Returns the parameters of the request besides its tensors.
   *
   * @param headers that are parameters too. Of a parameter and a header with one name the header
   *     wins: it may be a proxy's, whose word counts more than the caller's.
   */
  public RequestOptions options(Map<String, ParameterValue> headers) {
    if (!headers.isEmpty()) {
      free = free == null ? new HashMap<>() : free;
      free.putAll(headers);
    }
    boolean sequenced = sequenceId != null || sequenceStart || sequenceEnd;
    if (free == null && timeoutMicros == 0 && !sequenced) {
      return priority == 0 ? RequestOptions.NONE : RequestOptions.ofPriority(priority);
    }
    ParameterValue id = sequenceId == null ? SequenceStep.NONE.id() : sequenceId;
    return new RequestOptions(
        priority,
        timeoutMicros,
        sequenced ? new SequenceStep(id, sequenceStart, sequenceEnd) : SequenceStep.NONE,
        free == null ? Map.of() : free);
  }

  /**
   * Returns the name of the SavedModel signature that is asked for; empty for the default one. Our
   * own extension.
   */
  public String signatureName() {
    return signatureName;
  }

  /**
   * Returns whether a stream is to end with a message of its own, even if that holds nothing else.
   */
  public boolean emptyFinal() {
    return emptyFinal;
  }

  /**
   * Returns whether all outputs are wanted as binary data, if the request lists none. HTTP only.
   */
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
      case "sequence_id" -> sequenceId = sequenceId(name, value);
      case "sequence_start" -> sequenceStart = flag(name, value);
      case "sequence_end" -> sequenceEnd = flag(name, value);
      case EMPTY_FINAL -> emptyFinal = flag(name, value);
      case "binary_data_output" -> binaryOutput = flag(name, value);
      case "signature_name" -> signatureName = text(name, value);
      case "headers" -> {}
      default -> putFree(name, value);
    }
  }

  private void putFree(String name, ParameterValue value) {
    requireUnreserved(name);
    if (free == null) {
      free = new HashMap<>();
    }
    free.put(name, value);
    if (free.size() > MOST_FREE) {
      throw InferenceException.invalid("the request has more than " + MOST_FREE + " parameters");
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

  private ParameterValue sequenceId(String name, ParameterValue value) {
    return switch (value) {
      case ParameterValue.Whole(long number, boolean unsigned) when unsigned || number >= 0 ->
          new ParameterValue.Whole(number, true);
      case ParameterValue.Text(String text) when text.length() > LONGEST_ID ->
          throw InferenceException.invalid(
              "sequence_id has %d characters, wanted at most %d"
                  .formatted(text.length(), LONGEST_ID));
      case ParameterValue.Text text -> text;
      case ParameterValue.Whole _, ParameterValue.Flag _, ParameterValue.Fraction _ ->
          throw wrongType(name, Wanted.SEQUENCE_ID);
    };
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
