package dev.sluice.serving.loading;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says at load which outputs of a model no client will get, and refuses a model of no others.
 *
 * <p>Some element types exist in runtimes and on no wire. Better a line at load time than a failure
 * at each request.
 */
final class UnsupportedOutputs {
  private static final Logger LOG = LoggerFactory.getLogger(UnsupportedOutputs.class);

  /** Runs when a SavedModel of TensorFlow 2 is loaded; its output is no answer. */
  private static final String INITIALIZATION = "__saved_model_init_op";

  private UnsupportedOutputs() {}

  /**
   * Requires that some protocol carries some output, and logs one line for those that are left out.
   *
   * @throws InferenceException with FAILED_PRECONDITION, naming the outputs, if none is carried
   */
  static void require(ModelId id, ModelMetadata metadata) {
    List<Signature> signatures = List.copyOf(metadata.signatures().values());
    boolean some =
        signatures.stream()
            .anyMatch(signature ->
                signature.outputs().isEmpty() || !signature.supportedOutputs().isEmpty());
    if (!some && !signatures.isEmpty()) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "model %s: no protocol here carries any of its outputs: %s"
              .formatted(id, names(signatures, output -> output.type() == DataType.UNSUPPORTED)));
    }
    List<Signature> answering =
        signatures.stream().filter(signature -> !signature.name().equals(INITIALIZATION)).toList();
    warn(
        id,
        names(answering, output -> output.type() == DataType.UNSUPPORTED),
        "no protocol here carries");
    warn(
        id,
        names(answering, output -> isForTensorflowServing(output.type())),
        "only TensorFlow Serving's protocol carries");
  }

  private static boolean isForTensorflowServing(DataType type) {
    return type != DataType.UNSUPPORTED && !type.isCommon();
  }

  private static void warn(ModelId id, String outputs, String why) {
    if (!outputs.isEmpty()) {
      LOG.atWarn().addKeyValue("model", id).log("answers leave out what {}: {}", why, outputs);
    }
  }

  private static String names(List<Signature> signatures, Predicate<TensorSpec> which) {
    return signatures.stream()
        .flatMap(signature -> signature.outputs().stream())
        .filter(which)
        .map(output -> "output '" + output.name() + "' of type " + output.nativeType())
        .distinct()
        .collect(Collectors.joining(", "));
  }
}
