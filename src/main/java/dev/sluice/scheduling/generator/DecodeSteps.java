package dev.sluice.scheduling.generator;

import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.generator.input.AttentionMask;
import dev.sluice.scheduling.generator.input.TokenHistory;
import dev.sluice.scheduling.prefix.FoundPrefix;
import dev.sluice.scheduling.prefix.StreamTokens;
import dev.sluice.scheduling.stream.StreamSteps;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.SequencePadding;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.text.constraint.ConstrainedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One stream of a generator.
 *
 * <p>Memory: owns the tensors between two steps, the KV cache among them, and frees them when it is
 * closed.
 */
final class DecodeSteps implements StreamSteps {
  private final GenerationLoop loop;
  private final InferenceRequest request;
  private final LongSupplier nanoTime;
  private final List<String> sent;
  private final int mostSteps;
  private final long cacheBytes;
  private final @Nullable TokenSelection choice;
  private final ProvenLoop proven;
  private final StreamTokens counts;

  /** Null if the caches are not computed again. */
  private final @Nullable TokenHistory history;

  /** What is computed again; null if nothing was. */
  private @Nullable InferenceRequest again;

  private PromptInputs prompt;
  private boolean prefilling = true;

  /** Tokens of the request's own prompt that were not computed. */
  private int reused;

  /** Elements of padding in what is fed back. */
  private long padding;

  /** Whether caches and mask are equally long, so that padding would fit both. */
  private boolean aligned = true;

  /** The inputs of the step to come, until it is taken. */
  private List<NamedTensor> inputs;

  private int steps;

  /** When it began; later by as long as it was preempted. */
  private long startNanos;

  /** When it was preempted last. */
  private long preemptedNanos;

  private boolean over;
  private boolean stopped;

  /**
   * @param request passes on what it does not need after the first step
   * @param room steps that the model has room for, at least one
   * @param proven how its steps may run
   * @param counts of the model
   */
  DecodeSteps(
      GenerationLoop loop,
      InferenceRequest request,
      int room,
      ProvenLoop proven,
      @Nullable ConstrainedText constraint,
      StreamTokens counts,
      LongSupplier nanoTime) {
    this.loop = loop;
    this.proven = proven;
    this.counts = counts;
    this.request = request;
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
    this.sent =
        request.outputs().isEmpty()
            ? loop.shown().outputs().stream().map(TensorSpec::name).toList()
            : request.outputs();
    var state = PromptState.of(loop, request);
    var requested = new SamplingParameters(request.options().parameters());
    this.mostSteps = Math.min(room, requested.steps(loop.config().stop()));
    this.cacheBytes =
        state.givenBytes()
            + loop.cache().bytes(state.rows(), state.promptLength() + mostSteps - 1L);
    this.choice =
        loop.config()
            .next()
            .map(next -> choice(next, requested, state.rows(), constraint))
            .orElse(null);
    this.history =
        proven.preempts() && state.isOfTokens()
            ? new TokenHistory(request.inputs().getFirst().tensor())
            : null;
    this.prompt = new PromptInputs(state, proven, counts, true);
    this.inputs = gather(prompt::first);
  }

  private TokenSelection choice(
      GeneratorConfig.Next next,
      SamplingParameters requested,
      int rows,
      @Nullable ConstrainedText constraint) {
    Tensor given = Objects.requireNonNull(request.input(next.to())).tensor();
    return new TokenSelection(
        next.withSampling(requested.sampling(next.sampling(), loop.candidates(next))),
        requested.ignoresStopTokens() ? List.of() : loop.config().stop().tokens(),
        given,
        rows,
        requested.logProbs(),
        constraint);
  }

  /** Returns the inputs of one step, from wherever they come; none where there is nothing. */
  private List<NamedTensor> gather(Function<GenerationInput, @Nullable Tensor> source) {
    var gathered = new ArrayList<NamedTensor>(loop.inputs().size());
    try {
      for (GenerationInput input : loop.inputs()) {
        Tensor tensor = source.apply(input);
        if (tensor != null) {
          gathered.add(new NamedTensor(input.name(), tensor));
        }
      }
      return gathered;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(gathered);
      prompt.close();
      throw e;
    }
  }

  /** Returns the inputs of a first step that begins behind a kept prefix; null: there is none. */
  private @Nullable List<NamedTensor> behindPrefix() {
    try (FoundPrefix found = prompt.begin()) {
      return found == null ? null : behind(found);
    }
  }

  private List<NamedTensor> behind(FoundPrefix found) {
    return gather(input -> prompt.behind(input, cache -> taken(found, cache.name())));
  }

  private Tensor taken(FoundPrefix found, String cache) {
    return found.take(cache, loop.axes().getOrDefault(cache, 0));
  }

  /** Returns the size of the caches behind the last step that is possible, without padding. */
  @Override
  public long cacheBytes() {
    return cacheBytes;
  }

  /** Returns how many tokens of the prompt were not computed, since an earlier one had them. */
  int reusedTokens() {
    return reused;
  }

  @Override
  public boolean isOver() {
    return over;
  }

  /** Returns whether the model itself has ended it: by a token, or by an output. */
  boolean isStopped() {
    return stopped;
  }

  /** Returns whether the last choice was a token that ends it. */
  boolean isStoppedByToken() {
    return choice != null && choice.isOver();
  }

  /** Returns the log-probabilities of the last choice; null if none are wanted. */
  @Nullable TokenLogProbs logProbs() {
    return choice == null ? null : choice.logProbs();
  }

  @Override
  public InferenceRequest next() {
    List<NamedTensor> taken = inputs;
    inputs = List.of();
    return request.step(loop.called(), taken, loop.computed(), kind());
  }

  private @Nullable LoopStep kind() {
    AttentionMask mask = prompt.mask();
    if (prefilling) {
      return choice == null ? null : prompt.step(this::behindPrefix);
    }
    return proven.maxPadding() == 0 || mask == null || !aligned
        ? null
        : new LoopStep.Padding(
            loop.axes(),
            proven.side(),
            maskPadding(),
            mask.length(),
            proven.maxPadding(),
            proven.inPlace());
  }

  /** The caches tell how far they were padded; a plain loop's are as long as the mask. */
  private void align(StepOutputs given) {
    AttentionMask mask = prompt.mask();
    if (proven.maxPadding() == 0 || mask == null || !aligned) {
      return;
    }
    long found = given.padding(mask.length());
    if (found < 0 && padding > 0) {
      throw new InferenceException(
          ErrorCode.INTERNAL, "the model's caches are not as long as its mask");
    }
    aligned = found >= 0;
    padding = Math.max(0, found);
  }

  @Override
  public @Nullable List<NamedTensor> take(List<NamedTensor> outputs) {
    try (var given = new StepOutputs(loop, proven.side(), outputs)) {
      if (prefilling && !prompt.hasRun(given)) {
        inputs =
            gather(input -> prompt.behind(input, cache -> given.feed(cache.output(), List.of())));
        return null;
      }
      if (steps == 0) {
        reused = prompt.reused();
      } else if (prefilling) {
        startNanos += nanoTime.getAsLong() - preemptedNanos;
      }
      prefilling = false;
      steps++;
      align(given);
      if (choice != null) {
        choose(choice, given);
      }
      over = isLast(given);
      if (!over) {
        inputs = gather(input -> nextInput(input, given));
      }
      return sent(given);
    }
  }

  private void choose(TokenSelection choice, StepOutputs given) {
    counts.addGenerated(choice.openRows());
    choice.choose(given.look(loop.config().next().orElseThrow().from()));
    if (history != null) {
      history.add(choice.first());
    }
  }

  /** Copies what lies in the block of its last run, without its padding. */
  @Override
  public void park() {
    if (inputs.stream().noneMatch(DecodeSteps::isShared)) {
      return;
    }
    for (int i = 0; i < inputs.size(); i++) {
      NamedTensor input = inputs.get(i);
      int axis = loop.axes().getOrDefault(input.name(), 0);
      long cut = axis == 0 ? 0 : paddingOf(input.name());
      if (cut > 0 || isShared(input)) {
        Tensor own =
            cut > 0
                ? SequencePadding.cut(input.tensor(), axis, proven.side(), cut)
                : input.tensor().copy();
        inputs.set(i, new NamedTensor(input.name(), own));
        input.close();
      }
    }
    padding = 0;
  }

  private static boolean isShared(NamedTensor input) {
    return SharedTensor.of(input.tensor()) != null;
  }

  private long paddingOf(String input) {
    return loop.config().mask().filter(input::equals).isPresent() ? maskPadding() : padding;
  }

  private boolean isLast(StepOutputs given) {
    GeneratorConfig.Stop stop = loop.config().stop();
    boolean ended = stop.output().filter(given::isSet).isPresent();
    stopped = ended || (choice != null && (choice.isOver() || choice.isComplete()));
    return stopped
        || steps >= mostSteps
        || (!stop.time().isZero() && nanoTime.getAsLong() - startNanos >= stop.time().toNanos());
  }

  private @Nullable Tensor nextInput(GenerationInput input, StepOutputs given) {
    return switch (input.origin()) {
      case CHOICE -> chosen();
      case MASK -> grown();
      case POSITION -> Objects.requireNonNull(prompt.positions()).step(1);
      case FEEDBACK -> given.feed(input.output(), sent);
      case CALLER -> constant(input);
    };
  }

  private Tensor chosen() {
    return Objects.requireNonNull(choice, "nothing is chosen in this loop").toTensor();
  }

  private Tensor grown() {
    return Objects.requireNonNull(prompt.mask()).grow(maskPadding(), proven.side());
  }

  /** A step that writes in place takes up one element of the padding. */
  private long maskPadding() {
    return proven.inPlace().isEmpty() ? padding : Math.max(0, padding - 1);
  }

  private @Nullable Tensor constant(GenerationInput input) {
    NamedTensor given = request.input(input.name());
    return given == null ? null : given.tensor().borrow();
  }

  private List<NamedTensor> sent(StepOutputs given) {
    var sending = new ArrayList<NamedTensor>(sent.size());
    try {
      for (String name : sent) {
        int index = loop.indexOf(name);
        sending.add(new NamedTensor(name, index >= 0 ? given.send(index) : chosen()));
      }
      return sending;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(sending);
      throw e;
    }
  }

  /** Only between two decode steps: a prompt has not sent anything yet. */
  @Override
  public boolean canRecompute() {
    return history != null && !prefilling;
  }

  /** What was chosen is a part of the prompt now, and no choice depends on anything else. */
  @Override
  public void recompute() {
    TokenHistory tokens = Objects.requireNonNull(history);
    preemptedNanos = nanoTime.getAsLong();
    close();
    String input = request.inputs().getFirst().name();
    again =
        request.step(
            request.signature(), List.of(new NamedTensor(input, tokens.toPrompt())), List.of());
    prompt = new PromptInputs(PromptState.of(loop, again), proven, counts, false);
    prefilling = true;
    aligned = true;
    padding = 0;
    inputs = gather(prompt::first);
  }

  @Override
  public void close() {
    NamedTensor.closeAll(inputs);
    inputs = List.of();
    prompt.close();
    if (again != null) {
      again.close();
    }
  }
}
