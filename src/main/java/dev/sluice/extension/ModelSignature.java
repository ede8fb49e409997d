package dev.sluice.extension;

import dev.sluice.tensor.TensorSpec;
import java.util.List;

/**
 * The inputs and outputs of a model. Requests that do not fit are refused before the code sees
 * them.
 *
 * @param inputs by name, type and shape; {@link dev.sluice.tensor.Shape#ANY} leaves a dimension
 *     open
 * @param outputs as the inputs
 * @param open whether it takes any inputs, and gives any outputs, besides. Only grps can send such
 *     inputs: the other protocols look types up in the signature
 */
public record ModelSignature(List<TensorSpec> inputs, List<TensorSpec> outputs, boolean open) {
  /** Any inputs, any outputs. */
  public static final ModelSignature OPEN = new ModelSignature(List.of(), List.of(), true);

  public ModelSignature {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /** Exactly these. */
  public static ModelSignature of(List<TensorSpec> inputs, List<TensorSpec> outputs) {
    return new ModelSignature(inputs, outputs, false);
  }
}
