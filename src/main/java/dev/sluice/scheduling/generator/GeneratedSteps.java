package dev.sluice.scheduling.generator;

import dev.sluice.config.GeneratorConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.scheduling.stream.StreamSteps;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One stream of a generator. */
final class GeneratedSteps implements StreamSteps {
  private final Loop loop;
  private final InferenceRequest request;
  private final LongSupplier nanoTime;
  private final long startNanos;
  private final List<String> sent;
  private final int rows;
  private final int promptLength;
  private final Wishes wishes;
  private final int mostSteps;
  private final @Nullable Choice choice;
  private final @Nullable Positions positions;
  private @Nullable GrowingMask mask;

  /** The inputs of the step to come, until it is taken. */
  private List<NamedTensor> inputs = List.of();

  private int steps;
  private boolean over;

  /**
   * @param request lends what it does not need any more after the first step
   */
  GeneratedSteps(Loop loop, InferenceRequest request, LongSupplier nanoTime) {
    this.loop = loop;
    this.request = request;
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
    this.sent =
        request.outputs().isEmpty()
            ? loop.shown().outputs().stream().map(TensorSpec::name).toList()
            : request.outputs();
    this.wishes = new Wishes(request.options().parameters());
    this.mostSteps = wishes.steps(loop.config().stop().steps());
    this.rows = rows();
    this.promptLength = promptLength();
    this.choice = loop.config().next().map(this::choice).orElse(null);
    this.positions =
        loop.config()
            .position()
            .map(name -> new Positions(loop.called().input(name).orElseThrow(), rows))
            .orElse(null);
    try {
      this.inputs = firstInputs();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Dimension 0 of what the choice goes to, or else of the first input that has one. */
  private int rows() {
    NamedTensor prompt = loop.config().next().map(next -> request.input(next.to())).orElse(null);
    if (prompt != null && prompt.tensor().shape().rank() > 0) {
      return requireRows(prompt);
    }
    for (NamedTensor input : request.inputs()) {
      if (input.tensor().shape().rank() > 0) {
        return requireRows(input);
      }
    }
    return 1;
  }

  private static int requireRows(NamedTensor input) {
    long rows = input.tensor().shape().dim(0);
    if (rows < 1 || rows > MOST_ROWS) {
      throw InferenceException.invalid(
          "input \"%s\" has %d rows; a stream needs from 1 to %d"
              .formatted(input.name(), rows, MOST_ROWS));
    }
    return (int) rows;
  }

  /** Rows that advance together in one stream. */
  private static final int MOST_ROWS = 1 << 16;

  private int promptLength() {
    NamedTensor prompt = loop.config().next().map(next -> request.input(next.to())).orElse(null);
    boolean isLong = prompt != null && prompt.tensor().shape().rank() > 1;
    long length = isLong ? Objects.requireNonNull(prompt).tensor().shape().dim(1) : 1;
    if (length < 1) {
      throw InferenceException.invalid(
          "input \"%s\" is empty; a stream needs something to begin with"
              .formatted(Objects.requireNonNull(prompt).name()));
    }
    return Math.toIntExact(length);
  }

  private Choice choice(GeneratorConfig.Next next) {
    NamedTensor given = Objects.requireNonNull(request.input(next.to()));
    return new Choice(
        next.withSampling(wishes.sampling(next.sampling())),
        loop.config().stop().tokens(),
        given.tensor().type(),
        given.tensor().shape().rank(),
        rows);
  }

  private List<NamedTensor> firstInputs() {
    var first = new ArrayList<NamedTensor>(loop.called().inputs().size());
    try {
      for (TensorSpec spec : loop.called().inputs()) {
        Tensor tensor = firstInput(spec);
        if (tensor != null) {
          first.add(new NamedTensor(spec.name(), tensor));
        }
      }
      return first;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(first);
      throw e;
    }
  }

  private @Nullable Tensor firstInput(TensorSpec spec) {
    NamedTensor given = request.input(spec.name());
    if (isMask(spec)) {
      mask =
          new GrowingMask(
              given == null
                  ? GrowingMask.ones(spec.type(), rows, promptLength)
                  : requireRank2(given).tensor());
      return mask.now();
    }
    if (positions != null && isPosition(spec)) {
      if (given == null) {
        return positions.step(promptLength);
      }
      positions.begin(given.tensor(), promptLength);
    }
    if (given != null) {
      return isReplaced(spec) ? given.tensor() : given.tensor().borrow();
    }
    return loop.feedback().contains(spec.name()) ? nothing(spec) : null;
  }

  private static NamedTensor requireRank2(NamedTensor mask) {
    if (mask.tensor().shape().rank() != 2) {
      throw InferenceException.invalid(
          "input \"%s\" has shape %s; a mask that grows has 2 dimensions"
              .formatted(mask.name(), mask.tensor().shape()));
    }
    return mask;
  }

  /** Whether later steps have another tensor in this place. */
  private boolean isReplaced(TensorSpec spec) {
    return isPosition(spec) || isChoice(spec) || loop.feedback().contains(spec.name());
  }

  private boolean isMask(TensorSpec spec) {
    return loop.config().mask().filter(spec.name()::equals).isPresent();
  }

  private boolean isPosition(TensorSpec spec) {
    return loop.config().position().filter(spec.name()::equals).isPresent();
  }

  private boolean isChoice(TensorSpec spec) {
    return loop.config().next().filter(next -> next.to().equals(spec.name())).isPresent();
  }

  /** What a state is before the first step: zeros, or nothing where it grows. */
  private Tensor nothing(TensorSpec spec) {
    long[] dims = spec.shape().dims();
    for (int i = 0; i < dims.length; i++) {
      int open = i == 0 ? rows : 0;
      dims[i] = dims[i] == Shape.ANY ? open : dims[i];
    }
    if (rows > Math.max(1, request.model().metadata().maxBatchSize())) {
      throw InferenceException.invalid(
          "input \"%s\" is missing; it is made up for one row, or as many as max_batch_size, got %d"
              .formatted(spec.name(), rows));
    }
    Tensor tensor = Tensor.allocate(spec.type(), Shape.of(dims));
    tensor.data().fill((byte) 0);
    return tensor;
  }

  @Override
  public boolean isOver() {
    return over;
  }

  @Override
  public InferenceRequest next() {
    List<NamedTensor> taken = inputs;
    inputs = List.of();
    return request.step(loop.called(), taken, loop.computed());
  }

  @Override
  public @Nullable List<NamedTensor> take(List<NamedTensor> outputs) {
    try (var given = new StepOutputs(loop, outputs)) {
      steps++;
      if (choice != null) {
        choice.choose(given.look(loop.config().next().orElseThrow().from()));
      }
      over = isLast(given);
      if (!over) {
        inputs = nextInputs(given);
      }
      return sent(given);
    }
  }

  private boolean isLast(StepOutputs given) {
    GeneratorConfig.Stop stop = loop.config().stop();
    return steps >= mostSteps
        || (choice != null && choice.isOver())
        || stop.output().filter(name -> given.isSet(name)).isPresent()
        || (!stop.time().isZero() && nanoTime.getAsLong() - startNanos >= stop.time().toNanos());
  }

  private List<NamedTensor> nextInputs(StepOutputs given) {
    var next = new ArrayList<NamedTensor>(loop.called().inputs().size());
    try {
      for (TensorSpec spec : loop.called().inputs()) {
        Tensor tensor = nextInput(spec, given);
        if (tensor != null) {
          next.add(new NamedTensor(spec.name(), tensor));
        }
      }
      return next;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(next);
      throw e;
    }
  }

  private @Nullable Tensor nextInput(TensorSpec spec, StepOutputs given) {
    if (choice != null && isChoice(spec)) {
      return choice.toTensor();
    }
    if (mask != null && isMask(spec)) {
      mask.grow();
      return mask.now();
    }
    if (positions != null && isPosition(spec)) {
      return positions.step(1);
    }
    int fed = loop.feedback().indexOf(spec.name());
    if (fed >= 0) {
      return given.feed(fed, sent);
    }
    NamedTensor constant = request.input(spec.name());
    return constant == null ? null : constant.tensor().borrow();
  }

  private List<NamedTensor> sent(StepOutputs given) {
    var sending = new ArrayList<NamedTensor>(sent.size());
    try {
      for (String name : sent) {
        int index = loop.indexOf(name);
        sending.add(
            new NamedTensor(name, index >= 0 ? given.send(index) : requireChoice().toTensor()));
      }
      return sending;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(sending);
      throw e;
    }
  }

  private Choice requireChoice() {
    if (choice == null) {
      throw new InferenceException(ErrorCode.INTERNAL, "nothing is chosen in this loop");
    }
    return choice;
  }

  @Override
  public void close() {
    NamedTensor.closeAll(inputs);
    inputs = List.of();
    if (mask != null) {
      mask.close();
      mask = null;
    }
  }
}
