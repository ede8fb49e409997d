package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.util.Optional;

/** Finding models, and the words for not finding them. */
public final class OpenAiModels {
  private OpenAiModels() {}

  /**
   * Returns the lease of the model that was found.
   *
   * @throws InferenceException NOT_FOUND if there is no such model, UNAVAILABLE if it takes no
   *     requests now
   */
  public static ModelLease found(ModelLookup lookup) {
    return switch (lookup) {
      case ModelLookup.Found(ModelLease model) -> model;
      case ModelLookup.NotReady miss ->
          throw miss.unavailable("the model '" + miss.name() + "' takes no requests now");
      case ModelLookup.UnknownModel(String name) -> throw unknown(name);
      case ModelLookup.UnknownVersion(String name, long _) -> throw unknown(name);
      case ModelLookup.UnknownLabel(String name, String _) -> throw unknown(name);
    };
  }

  private static InferenceException unknown(String name) {
    return new InferenceException(
        ErrorCode.NOT_FOUND,
        "the model '" + name + "' does not exist, or you have no access to it");
  }

  /**
   * Returns the signature of a model that takes text and writes text.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is another kind of model
   */
  static Signature generator(ModelLease model) {
    Optional<Signature> signature = model.metadata().signature("");
    if (signature.isEmpty()
        || !isText(signature.get().input(GeneratorOutputs.TEXT))
        || !model.metadata().whole()
        || !GeneratorOutputs.ALL.stream()
            .allMatch(name -> signature.get().output(name).isPresent())) {
      throw OpenAiError.parameter(
          "model", "'" + model.id().name() + "', which generates no text", "one that does");
    }
    return signature.get();
  }

  private static boolean isText(Optional<TensorSpec> tensor) {
    return tensor.filter(spec -> spec.type() == DataType.BYTES).isPresent();
  }
}
