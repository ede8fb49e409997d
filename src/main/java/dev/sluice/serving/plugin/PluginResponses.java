package dev.sluice.serving.plugin;

import dev.sluice.extension.Answer;
import dev.sluice.extension.ModelSignature;
import dev.sluice.extension.Value;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.plugin.PluginValues;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes responses of what a plugin answers. Any thread.
 *
 * <p>Checks names, types and shapes against what the plugin declared; an answer that does not fit
 * is a server error, INTERNAL, with both in the text.
 */
public record PluginResponses(ModelSignature declared) {
  /**
   * Returns a response to a request, if the answer is what was declared.
   *
   * @throws InferenceException INTERNAL if it is not
   */
  public InferenceResponse respond(InferenceRequest request, Answer answer, boolean last) {
    return respond(request, answer, last, false);
  }

  /**
   * Returns one message of a stream that the answer was made of: those before the last may leave
   * outputs out, as those of the model behind do.
   *
   * @throws InferenceException INTERNAL if it is not what was declared
   */
  public InferenceResponse message(InferenceRequest request, Answer answer, boolean last) {
    return respond(request, answer, last, !last);
  }

  private InferenceResponse respond(
      InferenceRequest request, Answer answer, boolean last, boolean partial) {
    List<Value> sent = declared.open() ? answer.outputs() : wanted(request, answer, partial);
    // Before there are tensors to free: a parameter may be refused.
    Map<String, ParameterValue> parameters = PluginValues.ofPlain(answer.parameters());
    return new InferenceResponse(
        request.model().id(), request.signature(), PluginValues.tensors(sent), parameters, last);
  }

  private static List<Value> wanted(InferenceRequest request, Answer answer, boolean partial) {
    requireDistinctNames(answer);
    Signature signature = request.signature();
    List<TensorSpec> wanted = new ArrayList<>();
    if (request.outputs().isEmpty()) {
      signature.outputs().stream().filter(output -> !output.optional()).forEach(wanted::add);
    }
    request.outputs().forEach(name -> signature.output(name).ifPresent(wanted::add));
    List<Value> sent = new ArrayList<>(wanted.size());
    for (TensorSpec output : wanted) {
      boolean needed = !partial && !output.optional();
      if (needed || answer.outputs().stream().anyMatch(each -> isOf(output, each))) {
        sent.add(output(output, answer));
      }
    }
    return sent;
  }

  private static boolean isOf(TensorSpec output, Value value) {
    return value.name().equals(output.name());
  }

  /** An answer of open code may be a map, whose keys are distinguished by their types too. */
  private static void requireDistinctNames(Answer answer) {
    Set<String> names = new HashSet<>();
    for (Value value : answer.outputs()) {
      if (!names.add(value.name())) {
        throw new InferenceException(
            ErrorCode.INTERNAL, "the model's code gave output '" + value.name() + "' twice");
      }
    }
  }

  private static Value output(TensorSpec output, Answer answer) {
    for (Value value : answer.outputs()) {
      if (isOf(output, value)) {
        return fitting(output, value);
      }
    }
    throw new InferenceException(
        ErrorCode.INTERNAL, "the model's code gave no output '" + output.name() + "'");
  }

  private static Value fitting(TensorSpec output, Value value) {
    if (value.type() != output.type() || !output.shape().accepts(value.shape())) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "the model's code gave output '%s' as %s%s, it declares %s%s"
              .formatted(
                  output.name(), value.type(), value.shape(), output.type(), output.shape()));
    }
    return value;
  }
}
