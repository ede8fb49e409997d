package dev.sluice.serving.encoder;

import dev.sluice.config.model.EncoderConfig.Pooling;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.FloatValues;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Vectors of texts. One thread at a time. */
final class TextVectors implements EncodedTexts {
  private static final int VECTORS_RANK = 3;

  /** Shortest vector that is normalized, as in the libraries that the models are made with. */
  private static final double SHORTEST = 1e-12;

  private final long texts;
  private final Pooling pooling;
  private final boolean normalize;
  private @Nullable Tensor vectors;
  private double[] vector = {};

  /**
   * @param pooling makes a text's vector of those of its tokens
   * @param normalize whether a vector has the length 1
   */
  TextVectors(long texts, Pooling pooling, boolean normalize) {
    this.texts = texts;
    this.pooling = pooling;
    this.normalize = normalize;
  }

  @Override
  public void take(long text, Tensor rows, long row, int length) {
    Shape shape = rows.shape();
    int width = Math.toIntExact(shape.dim(shape.rank() - 1));
    Tensor all = vectors(width);
    if (shape.rank() == VECTORS_RANK) {
      pool(rows, row * shape.dim(1) * width, length);
    } else {
      add(rows, row * width, 1);
    }
    double factor = normalize ? 1 / Math.max(SHORTEST, length()) : 1;
    for (int i = 0; i < width; i++) {
      all.data().setAtIndex(ValueLayout.JAVA_FLOAT, text * width + i, (float) (vector[i] * factor));
      vector[i] = 0;
    }
  }

  /** The width is known with the first run only, if the model does not declare it. */
  private Tensor vectors(int width) {
    if (vectors == null) {
      vectors = Tensor.allocate(DataType.FP32, Shape.of(texts, width));
      vector = new double[width];
    } else if (vector.length != width) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "the model's vectors have %d numbers, and had %d before".formatted(width, vector.length));
    }
    return vectors;
  }

  private void pool(Tensor rows, long begin, int tokens) {
    switch (pooling) {
      case CLS -> add(rows, begin, 1);
      case LAST -> add(rows, begin + (long) (tokens - 1) * vector.length, 1);
      case MEAN -> {
        for (int token = 0; token < tokens; token++) {
          add(rows, begin + (long) token * vector.length, tokens);
        }
      }
    }
  }

  private void add(Tensor rows, long from, int parts) {
    for (int i = 0; i < vector.length; i++) {
      vector[i] += FloatValues.at(rows, from + i) / parts;
    }
  }

  private double length() {
    double squares = 0;
    for (double number : vector) {
      squares += number * number;
    }
    return Math.sqrt(squares);
  }

  @Override
  public NamedTensor output(String name) {
    Tensor built = Objects.requireNonNull(vectors);
    vectors = null;
    return new NamedTensor(name, built);
  }

  @Override
  public void close() {
    if (vectors != null) {
      vectors.close();
    }
  }
}
