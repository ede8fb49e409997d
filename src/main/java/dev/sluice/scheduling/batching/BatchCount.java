package dev.sluice.scheduling.batching;

import dev.sluice.config.compat.triton.proto.BatchInput;
import dev.sluice.config.compat.triton.proto.BatchInput.Kind;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.util.List;
import java.util.stream.LongStream;

/**
 * An input that tells the model of a batch, made of the shapes that one of the requests' inputs
 * has.
 *
 * @param kind what it tells
 * @param type INT32 or FP32
 * @param source the input whose shapes it gives
 */
public record BatchCount(Kind kind, DataType type, String source) {
  /** Rows without elements, at most: a row's shape has a place in the result all the same. */
  private static final long MOST_EMPTY_ROWS = 1 << 20;

  static BatchCount of(BatchInput input) {
    DataType type = DataType.valueOf(input.getDataType().name().substring("TYPE_".length()));
    return new BatchCount(input.getKind(), type, input.getSourceInput(0));
  }

  static InferenceException missing(String input) {
    return InferenceException.invalid(
        "input \"%s\" is missing, which the model's batch_input or batch_output is made of"
            .formatted(input));
  }

  /** Returns whether it tells of each row, and not of each request. */
  boolean isOfRows() {
    return switch (kind) {
      case BATCH_ITEM_SHAPE, BATCH_ITEM_SHAPE_FLATTEN, BATCH_MAX_ELEMENT_COUNT_AS_SHAPE -> true;
      default -> false;
    };
  }

  /**
   * Makes the input.
   *
   * @param shapes of the source in each request
   * @return a tensor of the caller's own
   */
  Tensor make(List<Shape> shapes) {
    return switch (kind) {
      case BATCH_ELEMENT_COUNT -> counts(shapes.stream().mapToLong(Shape::elementCount));
      case BATCH_ACCUMULATED_ELEMENT_COUNT -> counts(accumulated(shapes).skip(1));
      case BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO -> counts(accumulated(shapes));
      case BATCH_MAX_ELEMENT_COUNT_AS_SHAPE -> zeros(shapes);
      case BATCH_ITEM_SHAPE -> {
        long[] items = items(shapes);
        long dims = shapes.getFirst().rank() - 1L;
        yield tensor(Shape.of(dims == 0 ? rows(shapes) : items.length / dims, dims), items);
      }
      case BATCH_ITEM_SHAPE_FLATTEN -> counts(LongStream.of(items(shapes)));
      case UNRECOGNIZED -> throw new IllegalStateException("a kind that is not known");
    };
  }

  private static LongStream accumulated(List<Shape> shapes) {
    var sums = new long[shapes.size() + 1];
    for (int i = 0; i < shapes.size(); i++) {
      sums[i + 1] = sums[i] + shapes.get(i).elementCount();
    }
    return LongStream.of(sums);
  }

  /** The shape is all that counts; the elements mean nothing. */
  private Tensor zeros(List<Shape> shapes) {
    long most = shapes.stream().mapToLong(Shape::elementCount).max().orElse(0);
    Tensor tensor = Tensor.allocate(type, Shape.of(most));
    tensor.data().fill((byte) 0);
    return tensor;
  }

  /** Returns the shape of each row, without the batch. */
  private long[] items(List<Shape> shapes) {
    requireBounded(shapes);
    return shapes.stream()
        .flatMapToLong(shape ->
            LongStream.range(0, shape.dim(0)).flatMap(_ -> LongStream.of(shape.dims()).skip(1)))
        .toArray();
  }

  private void requireBounded(List<Shape> shapes) {
    for (Shape shape : shapes) {
      if (shape.dim(0) > Math.max(MOST_EMPTY_ROWS, shape.elementCount())) {
        throw InferenceException.invalid(
            "input \"%s\" has shape %s; wanted at most %d rows without elements"
                .formatted(source, shape, MOST_EMPTY_ROWS));
      }
    }
  }

  private static long rows(List<Shape> shapes) {
    return shapes.stream().mapToLong(shape -> shape.dim(0)).sum();
  }

  private Tensor counts(LongStream values) {
    long[] all = values.toArray();
    return tensor(Shape.of(all.length), all);
  }

  private Tensor tensor(Shape shape, long... values) {
    try (var builder = new TensorBuilder(type, (long) values.length * type.byteSize())) {
      for (long value : values) {
        put(builder, value);
      }
      return builder.build(shape);
    }
  }

  private void put(TensorBuilder builder, long value) {
    if (value > Integer.MAX_VALUE) {
      throw InferenceException.invalid(
          "input \"%s\" has %d elements with those of other requests; wanted at most %d"
              .formatted(source, value, Integer.MAX_VALUE));
    }
    if (type == DataType.FP32) {
      builder.putFloat((float) value);
    } else {
      builder.putInt((int) value);
    }
  }
}
