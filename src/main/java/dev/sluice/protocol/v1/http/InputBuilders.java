package dev.sluice.protocol.v1.http;

import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonElements;
import dev.sluice.protocol.v1.http.element.InputBuilder;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All inputs of one request while they are read. Owns their memory until they are built.
 *
 * <p>Closing frees all that was not built, so a wrong row halfway costs nothing.
 */
final class InputBuilders implements AutoCloseable {
  private final List<InputBuilder> inputs;

  /**
   * Builders for the inputs of a signature, to be read from one cursor over one body.
   *
   * @param lead knows which values it takes
   */
  InputBuilders(Body body, Signature signature, JsonCursor in, V1Dialect lead) {
    this.inputs = new ArrayList<>(signature.inputs().size());
    long likelySize = in.remaining() / signature.inputs().size();
    for (TensorSpec spec : signature.inputs()) {
      inputs.add(new InputBuilder(body, spec, in, likelySize, elements(spec, lead)));
    }
  }

  private static JsonElements elements(TensorSpec spec, V1Dialect lead) {
    return lead.carries(spec)
        ? JsonElements.of(spec.type(), lead.takesWholeFloats())
        : JsonElements.NONE;
  }

  List<InputBuilder> all() {
    return inputs;
  }

  InputBuilder first() {
    return inputs.getFirst();
  }

  /** Returns the input that the cursor's current member names, or null. */
  @Nullable InputBuilder named(JsonCursor in) {
    for (InputBuilder input : inputs) {
      if (in.keyIs(input.name())) {
        return input;
      }
    }
    String key = in.key();
    for (InputBuilder input : inputs) {
      if (input.name().equals(key)) {
        return input;
      }
    }
    return null;
  }

  /** Returns the most dimensions that any of the inputs has. */
  int deepest() {
    int deepest = 0;
    for (InputBuilder input : inputs) {
      deepest = Math.max(deepest, input.isGiven() ? input.shape().rank() : 0);
    }
    return deepest;
  }

  /**
   * Returns the tensors of the inputs that were given.
   *
   * @param model the model's name, if it holds clients to its shapes; else null
   */
  List<NamedTensor> build(@Nullable String model) {
    for (InputBuilder input : inputs) {
      if (input.isGiven()) {
        input.check(model);
      }
    }
    List<NamedTensor> tensors = new ArrayList<>(inputs.size());
    for (InputBuilder input : inputs) {
      if (input.isGiven()) {
        tensors.add(input.build());
      }
    }
    return tensors;
  }

  @Override
  public void close() {
    inputs.forEach(InputBuilder::close);
  }
}
