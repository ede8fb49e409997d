package dev.sluice.serving.encoder;

import dev.sluice.config.model.EncoderConfig.Activation;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.FloatValues;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The likeliest class of each text, and its score; for pairs there is one class. One thread at a
 * time.
 */
final class TextScores implements EncodedTexts {
  private final Activation activation;
  private final List<String> labels;
  private final int[] classes;
  private final float[] scores;

  /**
   * @param activation makes scores of logits
   * @param labels names of the classes; one without is named as in the files of models
   */
  TextScores(int texts, Activation activation, List<String> labels) {
    this.activation = activation;
    this.labels = labels;
    this.classes = new int[texts];
    this.scores = new float[texts];
  }

  @Override
  public void take(long text, Tensor rows, long row, int length) {
    int width = Math.toIntExact(rows.shape().dim(1));
    int best = 0;
    for (int i = 1; i < width; i++) {
      best = logit(rows, row, i) > logit(rows, row, best) ? i : best;
    }
    classes[(int) text] = best;
    scores[(int) text] = (float) score(rows, row, best);
  }

  private static double logit(Tensor rows, long row, int place) {
    return FloatValues.at(rows, row * rows.shape().dim(1) + place);
  }

  private double score(Tensor rows, long row, int best) {
    double logit = logit(rows, row, best);
    return switch (activation) {
      case NONE -> logit;
      case SIGMOID -> 1 / (1 + Math.exp(-logit));
      case SOFTMAX -> {
        double sum = 0;
        for (int i = 0; i < rows.shape().dim(1); i++) {
          sum += Math.exp(logit(rows, row, i) - logit);
        }
        yield 1 / sum;
      }
    };
  }

  @Override
  public NamedTensor output(String name) {
    boolean labelled = name.equals(TextEncoder.LABEL);
    DataType type = labelled ? DataType.BYTES : DataType.FP32;
    try (var builder = new TensorBuilder(type, (long) scores.length * Float.BYTES)) {
      for (int i = 0; i < scores.length; i++) {
        if (labelled) {
          byte[] label = label(classes[i]).getBytes(StandardCharsets.UTF_8);
          builder.putBytes(label, 0, label.length);
        } else {
          builder.putFloat(scores[i]);
        }
      }
      return new NamedTensor(name, builder.build(Shape.of(scores.length)));
    }
  }

  private String label(int place) {
    return place < labels.size() ? labels.get(place) : "LABEL_" + place;
  }

  @Override
  public void close() {
    // Keeps nothing outside the heap.
  }
}
