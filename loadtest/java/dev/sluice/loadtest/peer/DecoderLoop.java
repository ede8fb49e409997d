package dev.sluice.loadtest.peer;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a decoder in a loop by hand: greedily, rows padded to one length, its caches fed back as the
 * runtime leaves them.
 */
public final class DecoderLoop {
  private static final String PAST = "past_key_values.";
  private static final String PRESENT = "present.";

  private final SessionRuns session;
  private final int rows;
  private final int prompt;
  private final int tokens;

  private DecoderLoop(SessionRuns session, int rows, int prompt, int tokens) {
    this.session = session;
    this.rows = rows;
    this.prompt = prompt;
    this.tokens = tokens;
  }

  /**
   * Prints how many tokens all rows together get in a second.
   *
   * @param arguments the folder of a model's version, rows that advance together, seconds to warm
   *     up, seconds to measure, tokens of a prompt, tokens to generate behind it
   */
  public static void main(String[] arguments) {
    try (var session = new SessionRuns(Path.of(arguments[0]))) {
      var loop =
          new DecoderLoop(
              session,
              Integer.parseInt(arguments[1]),
              Integer.parseInt(arguments[4]),
              Integer.parseInt(arguments[5]));
      loop.measure(Long.parseLong(arguments[2]));
      System.out.println(loop.measure(Long.parseLong(arguments[3])));
    }
  }

  private double measure(long seconds) {
    long begin = System.nanoTime();
    long end = begin + TimeUnit.SECONDS.toNanos(seconds);
    long made = 0;
    while (System.nanoTime() < end) {
      generate();
      made += (long) rows * tokens;
    }
    return made * 1e9 / (System.nanoTime() - begin);
  }

  private void generate() {
    Tensor next = ids();
    List<NamedTensor> caches = List.of();
    for (int i = 0; i < tokens; i++) {
      List<NamedTensor> inputs = inputs(next, caches, prompt + i);
      List<NamedTensor> outputs = session.run(inputs);
      NamedTensor.closeAll(inputs);
      next = best(outputs.getFirst().tensor());
      outputs.getFirst().tensor().close();
      caches = outputs.subList(1, outputs.size());
    }
    next.close();
    NamedTensor.closeAll(caches);
  }

  private Tensor ids() {
    Tensor ids = Tensor.allocate(DataType.INT64, Shape.of(rows, prompt));
    for (int i = 0; i < rows * prompt; i++) {
      ids.data().setAtIndex(JAVA_LONG, i, 1 + (prompt * 7L + i * 13L) % 511);
    }
    return ids;
  }

  /** Takes the new tokens and the caches, which the caller closes with the rest. */
  private List<NamedTensor> inputs(Tensor next, List<NamedTensor> caches, int length) {
    List<NamedTensor> inputs = new ArrayList<>();
    for (TensorSpec input : session.signature().inputs()) {
      Tensor tensor =
          switch (input.name()) {
            case "input_ids" -> next;
            case "attention_mask" -> counted(length, 1, 0);
            case "position_ids" -> counted((int) next.shape().dim(1), length, 1);
            default -> cache(input, caches);
          };
      inputs.add(new NamedTensor(input.name(), tensor));
    }
    return inputs;
  }

  /** Rows of numbers that grow by a step, the last one below an end; or of ones. */
  private Tensor counted(int length, int end, int step) {
    Tensor tensor = Tensor.allocate(DataType.INT64, Shape.of(rows, length));
    for (int row = 0; row < rows; row++) {
      for (int i = 0; i < length; i++) {
        long value = step == 0 ? end : end - length + i;
        tensor.data().setAtIndex(JAVA_LONG, (long) row * length + i, value);
      }
    }
    return tensor;
  }

  private Tensor cache(TensorSpec input, List<NamedTensor> caches) {
    String output = PRESENT + input.name().substring(PAST.length());
    for (NamedTensor cache : caches) {
      if (cache.name().equals(output)) {
        return cache.tensor();
      }
    }
    Shape shape = input.shape();
    return Tensor.allocate(input.type(), Shape.of(rows, shape.dim(1), 0, shape.dim(3)));
  }

  /** The best token of each row behind its last one. */
  private Tensor best(Tensor logits) {
    long length = logits.shape().dim(1);
    long vocabulary = logits.shape().dim(2);
    Tensor best = Tensor.allocate(DataType.INT64, Shape.of(rows, 1));
    for (int row = 0; row < rows; row++) {
      long from = ((row + 1) * length - 1) * vocabulary;
      best.data().setAtIndex(JAVA_LONG, row, best(logits.data(), from, vocabulary));
    }
    return best;
  }

  private static long best(MemorySegment scores, long from, long count) {
    long best = 0;
    float highest = Float.NEGATIVE_INFINITY;
    for (long i = 0; i < count; i++) {
      float score = scores.getAtIndex(JAVA_FLOAT, from + i);
      if (score > highest) {
        highest = score;
        best = i;
      }
    }
    return best;
  }
}
