package dev.sluice.scheduling.generator;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.stream.StreamSteps;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
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
  private final ProofModel model;
  private @Nullable Tensor logits;
  private @Nullable InferenceRequest step;

  private ProofStream(ProofModel model, ProvenLoop proven, InferenceRequest whole) {
    this.model = model;
    this.whole = whole;
    this.steps =
        new DecodeSteps(model.loop(), whole, Integer.MAX_VALUE, proven, null, System::nanoTime);
  }

  /**
   * Runs a prompt of so many tokens.
   *
   * @param proven how it runs
   */
  static ProofStream prefill(ProofModel model, ProvenLoop proven, int length) {
    TensorSpec tokens = model.tokens();
    var whole =
        new InferenceRequest(
            model.lease(),
            model.loop().shown(),
            List.of(new NamedTensor(tokens.name(), prompt(tokens.type(), length))),
            List.of(),
            Deadline.NONE,
            "proof");
    try {
      var stream = new ProofStream(model, proven, whole);
      stream.run();
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

  private void run() {
    try {
      boolean prefilled = false;
      while (!prefilled) {
        prefilled = runNext();
      }
      step = steps.isOver() ? null : steps.next();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Returns whether a token was chosen. */
  private boolean runNext() {
    try (InferenceRequest prefill = steps.next()) {
      List<NamedTensor> outputs = model.run(prefill.inputs());
      try {
        keepLogits(outputs);
      } catch (RuntimeException | Error e) {
        NamedTensor.closeAll(outputs);
        throw e;
      }
      List<NamedTensor> sent = steps.take(outputs);
      NamedTensor.closeAll(sent == null ? List.of() : sent);
      return sent != null;
    }
  }

  /** Keeps what is chosen from: the last candidates of the one row. */
  private void keepLogits(List<NamedTensor> outputs) {
    GenerationLoop loop = model.loop();
    Tensor all = outputs.get(loop.indexOf(loop.config().next().orElseThrow().from())).tensor();
    long candidates = all.shape().dim(all.shape().rank() - 1);
    long bytes = candidates * all.type().byteSize();
    Tensor last = Tensor.allocate(all.type(), Shape.of(candidates));
    MemorySegment.copy(all.data(), all.byteSize() - bytes, last.data(), 0, bytes);
    closeLogits();
    logits = last;
  }

  private void closeLogits() {
    if (logits != null) {
      logits.close();
    }
  }

  /** Returns the logits behind the prompt, which stay this stream's. */
  Tensor logits() {
    return Objects.requireNonNull(logits);
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
    closeLogits();
    steps.close();
    whole.close();
  }
}
