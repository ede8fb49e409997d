package dev.sluice.serving;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.List;

/**
 * Validates a request before native code reads it. Protocol handlers have checked most of this
 * already, with their protocols' texts; this check holds for all of them.
 */
public final class RequestValidator {
  private RequestValidator() {}

  /**
   * Requires that the inputs are those of the signature, and that they have the declared types and
   * fit the declared shapes if the model insists on them. An open model takes whatever comes.
   */
  public static void require(InferenceRequest request) {
    ModelMetadata metadata = request.model().metadata();
    if (!metadata.open()) {
      require(request, metadata.shapesBind());
    }
  }

  /** The same for what a plugin sends to a model whose metadata callers do not see. */
  public static void require(InferenceRequest request, boolean shapesBind) {
    Signature signature = request.signature();
    for (NamedTensor input : request.inputs()) {
      TensorSpec spec =
          signature.input(input.name()).orElseThrow(() -> unknown("input", input.name(), request));
      requireOnce(input, request);
      if (shapesBind) {
        requireType(input, spec, request);
      }
      if (shapesBind && !spec.shape().accepts(input.tensor().shape())) {
        throw misfit(input, "shape " + input.tensor().shape(), spec.shape().toString(), request);
      }
    }
    requireAll(request, signature);
    requireOutputs(request, signature);
  }

  /** Requires that the model gives each request one answer. */
  static void requireOneAnswer(InferenceRequest request) {
    if (!request.model().metadata().answersOnce()) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "model \"%s\" answers by a stream; ask it by a call that streams"
              .formatted(request.model().id().name()));
    }
  }

  private static void requireOutputs(InferenceRequest request, Signature signature) {
    List<String> outputs = request.outputs();
    for (int i = 0; i < outputs.size(); i++) {
      if (signature.output(outputs.get(i)).isEmpty()) {
        throw unknown("output", outputs.get(i), request);
      }
      if (outputs.subList(0, i).contains(outputs.get(i))) {
        throw InferenceException.invalid("output \"" + outputs.get(i) + "\" is asked for twice");
      }
    }
  }

  private static void requireType(NamedTensor input, TensorSpec spec, InferenceRequest request) {
    if (input.tensor().type() != spec.type()) {
      throw misfit(input, "type " + input.tensor().type(), spec.type().toString(), request);
    }
  }

  private static void requireOnce(NamedTensor input, InferenceRequest request) {
    if (!input.equals(request.input(input.name()))) {
      throw InferenceException.invalid("input \"" + input.name() + "\" is given twice");
    }
  }

  private static void requireAll(InferenceRequest request, Signature signature) {
    for (TensorSpec spec : signature.inputs()) {
      if (!spec.optional() && request.input(spec.name()) == null) {
        throw InferenceException.invalid(
            "input \"%s\" of model \"%s\" is missing"
                .formatted(spec.name(), request.model().id().name()));
      }
    }
  }

  private static InferenceException unknown(String what, String name, InferenceRequest request) {
    return InferenceException.invalid(
        "model \"%s\" has no %s \"%s\"".formatted(request.model().id().name(), what, name));
  }

  private static InferenceException misfit(
      NamedTensor input, String got, String wanted, InferenceRequest request) {
    return InferenceException.invalid(
        "input \"%s\" has %s, model \"%s\" takes %s"
            .formatted(input.name(), got, request.model().id().name(), wanted));
  }
}
