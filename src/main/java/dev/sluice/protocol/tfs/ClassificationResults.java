package dev.sluice.protocol.tfs;

import dev.sluice.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The classes of each example, as many for one as for another.
 *
 * <p>Where a model gives the label of the best class alone, but scores for all, that label comes
 * with the highest score: which of the others belongs to which class, such a model does not say.
 */
public final class ClassificationResults implements ExampleResults {
  private final @Nullable Tensor labels;
  private final @Nullable Tensor scores;
  private final int rows;
  private final int scoresPerRow;
  private final int width;

  /**
   * @param labels borrowed; [examples,classes] or [examples]
   * @param scores borrowed; [examples,classes] or [examples]
   */
  ClassificationResults(@Nullable Tensor labels, @Nullable Tensor scores, int rows) {
    this.labels = labels;
    this.scores = scores;
    this.rows = rows;
    this.scoresPerRow = scores == null ? 0 : Math.toIntExact(ClassificationHead.width(scores));
    this.width = labels == null ? scoresPerRow : Math.toIntExact(ClassificationHead.width(labels));
  }

  /** Returns how many examples there are. */
  public int rows() {
    return rows;
  }

  /** Returns how many classes each has. */
  public int width() {
    return width;
  }

  /** Returns all labels, from the first example's first to the last one's last. */
  public LabelCursor labels() {
    return new LabelCursor(labels);
  }

  /** Returns the score of a class; 0 if the model gives none. */
  public float score(int row, int column) {
    if (scores == null) {
      return 0;
    }
    return width == scoresPerRow
        ? NumericElements.toFloat(scores, (long) row * width + column)
        : highest(scores, row);
  }

  private float highest(Tensor all, int row) {
    float highest = Float.NEGATIVE_INFINITY;
    for (int i = 0; i < scoresPerRow; i++) {
      highest = Math.max(highest, NumericElements.toFloat(all, (long) row * scoresPerRow + i));
    }
    return highest;
  }
}
