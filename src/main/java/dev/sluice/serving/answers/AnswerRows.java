package dev.sluice.serving.answers;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.generator.LogProbOutputs;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Joins whole answers to one prompt into one response: each output has their rows, in the order of
 * the answers. What there is of each token is padded to the longest answer. Any thread.
 */
public final class AnswerRows {
  private AnswerRows() {}

  /**
   * Returns the response, which is the caller's.
   *
   * @param answers of one model to the same request; at least one; closed, whatever happens
   * @throws InferenceException with INVALID_ARGUMENT, naming an output whose rows differ in shape
   */
  public static InferenceResponse join(List<InferenceResponse> answers) {
    List<NamedTensor> joined = new ArrayList<>();
    try {
      for (NamedTensor output : answers.getFirst().outputs()) {
        String name = output.name();
        List<Tensor> rows = answers.stream().map(answer -> output(answer, name)).toList();
        joined.add(new NamedTensor(name, join(name, rows)));
      }
      return answers.getFirst().withOutputs(joined);
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(joined);
      throw e;
    } finally {
      answers.forEach(InferenceResponse::close);
    }
  }

  private static Tensor output(InferenceResponse answer, String name) {
    for (NamedTensor output : answer.outputs()) {
      if (output.name().equals(name)) {
        return output.tensor();
      }
    }
    throw InferenceException.invalid(
        "output \"%s\" is in one answer and not in another; ask for one answer".formatted(name));
  }

  private static Tensor join(String output, List<Tensor> rows) {
    boolean ofTokens = LogProbOutputs.NAMES.contains(output);
    Shape row = ofTokens ? longest(rows) : one(output, rows);
    long bytes = rows.stream().mapToLong(Tensor::byteSize).sum();
    try (var joined = new TensorBuilder(rows.getFirst().type(), bytes)) {
      for (Tensor each : rows) {
        joined.putRaw(each.data(), 0, each.byteSize(), each.elementCount());
        if (ofTokens) {
          LogProbOutputs.pad(joined, row.elementCount() - each.elementCount());
        }
      }
      return joined.build(row.withRows(row.dim(0) * rows.size()));
    }
  }

  private static Shape longest(List<Tensor> rows) {
    return rows.stream()
        .map(Tensor::shape)
        .max(Comparator.comparingLong(Shape::elementCount))
        .orElseThrow();
  }

  /** Returns the shape that all have. */
  private static Shape one(String output, List<Tensor> rows) {
    Shape first = rows.getFirst().shape();
    for (Tensor each : rows) {
      if (!each.shape().equals(first) || first.rank() == 0) {
        throw InferenceException.invalid(
            "output \"%s\" has shape %s in one answer and %s in another, which are no rows of one"
                    .formatted(output, first, each.shape())
                + " output; ask for other outputs, or for one answer");
      }
    }
    return first;
  }
}
