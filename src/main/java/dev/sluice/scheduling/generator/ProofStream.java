package dev.sluice.scheduling.generator;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.stream.StreamSteps;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A stream of made-up tokens whose prompt has run. Owns all of it. */
final class ProofStream implements AutoCloseable {
  /** Made-up tokens are from 1 to this. */
  private static final int TOKENS = 4;

  private final InferenceRequest whole;
  private final StreamSteps steps;
  private @Nullable InferenceRequest step;

  private ProofStream(PaddingProof proof, InferenceRequest whole) {
    this.whole = whole;
    this.steps =
        new DecodeSteps(
            proof.loop(),
            whole,
            Integer.MAX_VALUE,
            new ProvenLoop(proof.side(), Integer.MAX_VALUE),
            System::nanoTime);
  }

  /** Runs a prompt of so many tokens. */
  static ProofStream prefill(PaddingProof proof, TensorSpec tokens, int length) {
    var whole =
        new InferenceRequest(
            proof.lease(),
            proof.loop().shown(),
            List.of(new NamedTensor(tokens.name(), prompt(tokens.type(), length))),
            List.of(),
            Deadline.NONE,
            "proof");
    try {
      var stream = new ProofStream(proof, whole);
      stream.run(proof);
      return stream;
    } catch (RuntimeException | Error e) {
      whole.close();
      throw e;
    }
  }

  private static Tensor prompt(DataType type, int length) {
    Tensor prompt = Tensor.allocate(type, Shape.of(1, length));
    for (int i = 0; i < length; i++) {
      int token = 1 + (length + i * i) % TOKENS;
      if (type == DataType.INT64) {
        prompt.data().setAtIndex(ValueLayout.JAVA_LONG, i, token);
      } else {
        prompt.data().setAtIndex(ValueLayout.JAVA_INT, i, token);
      }
    }
    return prompt;
  }

  private void run(PaddingProof proof) {
    try (InferenceRequest prefill = steps.next()) {
      List<NamedTensor> sent = steps.take(proof.run(prefill.inputs()));
      NamedTensor.closeAll(sent == null ? List.of() : sent);
      step = steps.isOver() ? null : steps.next();
    } catch (RuntimeException | Error e) {
      steps.close();
      throw e;
    }
  }

  /** Returns whether the prompt was all there is. */
  boolean isOver() {
    return step == null;
  }

  /** Returns the decode step behind the prompt. */
  InferenceRequest step() {
    return Objects.requireNonNull(step);
  }

  @Override
  public void close() {
    if (step != null) {
      step.close();
    }
    steps.close();
    whole.close();
  }
}
