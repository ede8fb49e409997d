package dev.sluice.scheduling.generator;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.generator.GenerationInput.Origin;
import dev.sluice.scheduling.prefix.StreamTokens;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A stream of made-up tokens whose prompt has run. Owns all of it. */
final class ProofStream implements AutoCloseable {
  /** Made-up tokens are from 1 to this. */
  private static final int TOKENS = 4;

  private final InferenceRequest whole;
  private final DecodeSteps steps;
  private final ProofModel model;
  private @Nullable Tensor logits;
  private @Nullable InferenceRequest step;

  private ProofStream(ProofModel model, ProvenLoop proven, InferenceRequest whole) {
    this.model = model;
    this.whole = whole;
    this.steps =
        new DecodeSteps(
            model.loop(),
            whole,
            Integer.MAX_VALUE,
            proven,
            null,
            new StreamTokens(),
            System::nanoTime);
  }

  /**
   * Runs a prompt of so many tokens.
   *
   * @param proven how it runs
   */
  static ProofStream prefill(ProofModel model, ProvenLoop proven, int length) {
    return prefill(model, proven, length, length);
  }

  /**
   * Runs a prompt of so many tokens, of which only the first ones are those of the prompt of this
   * length.
   */
  static ProofStream prefill(ProofModel model, ProvenLoop proven, int length, int common) {
    TensorSpec tokens = model.tokens();
    var whole =
        new InferenceRequest(
            model.lease(),
            model.loop().shown(),
            List.of(new NamedTensor(tokens.name(), prompt(tokens.type(), length, common))),
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

  private static Tensor prompt(DataType type, int length, int common) {
    Tensor prompt = Tensor.allocate(type, Shape.of(1, length));
    for (int i = 0; i < length; i++) {
      int token = 1 + (length + i * i + (i < common ? 0 : 1)) % TOKENS;
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
      List<NamedTensor> outputs = run(prefill);
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

  private List<NamedTensor> run(InferenceRequest prefill) {
    List<NamedTensor> late = Objects.requireNonNull(prefill.prefill()).late().make();
    if (late == null) {
      return model.run(prefill.inputs());
    }
    try {
      return model.run(late);
    } finally {
      NamedTensor.closeAll(late);
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

  /**
   * Returns what differs behind the prompts of two streams, logits or caches; empty: nothing does.
   *
   * @param cause of a difference, for the text
   */
  Optional<String> difference(ProofStream other, String cause) {
    if (isOver() || other.isOver()) {
      return Optional.of("a stream ends with its first token");
    }
    return ProofModel.areNear(logits(), other.logits())
        ? differentCache(step().inputs(), other.step().inputs())
            .map(input -> cause + " its input " + input)
        : Optional.of(cause + " its output " + model.loop().config().next().orElseThrow().from());
  }

  private Optional<String> differentCache(List<NamedTensor> inputs, List<NamedTensor> others) {
    for (int i = 0; i < inputs.size(); i++) {
      String name = inputs.get(i).name();
      if (isFedBack(name) && !ProofModel.areNear(inputs.get(i).tensor(), others.get(i).tensor())) {
        return Optional.of(name);
      }
    }
    return Optional.empty();
  }

  private boolean isFedBack(String input) {
    return model.loop().inputs().stream()
        .anyMatch(each -> each.origin() == Origin.FEEDBACK && each.name().equals(input));
  }

  private Tensor logits() {
    return Objects.requireNonNull(logits);
  }

  /** Returns how many tokens of the prompt were not computed. */
  int reusedTokens() {
    return steps.reusedTokens();
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
