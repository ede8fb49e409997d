package dev.sluice.protocol.tfs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One input while it is collected from the features of its name. Owns its memory until built. */
final class FeatureColumn implements AutoCloseable {
  private static final long UNKNOWN = -1;

  private final TensorSpec input;
  private final FeatureKind kind;
  private final byte[] name;
  private final MemorySegment data;
  private final TensorBuilder out;

  /** The input's shape behind the first dimension. */
  private final Shape inner;

  /** Offset of the feature in the current example; -1 if it has none. */
  private long feature = UNKNOWN;

  private int featureLength;
  private long rows;

  /** Number of values of each example, once it is known. */
  private long width;

  FeatureColumn(TensorSpec input, Tensor examples) {
    this.input = input;
    this.kind = Objects.requireNonNull(FeatureKind.of(input.type()));
    this.name = input.name().getBytes(StandardCharsets.UTF_8);
    this.data = examples.data();
    this.inner = inner(input.shape());
    this.width = inner.isFull() ? inner.elementCount() : UNKNOWN;
    this.out = new TensorBuilder(input.type(), 0);
  }

  private static Shape inner(Shape shape) {
    return shape.isRankKnown()
        ? Shape.of(Arrays.copyOfRange(shape.dims(), 1, shape.rank()))
        : Shape.of(Shape.ANY);
  }

  boolean isNamed(long at, int length) {
    if (length != name.length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (data.get(JAVA_BYTE, at + i) != name[i]) {
        return false;
      }
    }
    return true;
  }

  /** Notes where the feature of the example under way is. */
  void found(long at, int length) {
    feature = at;
    featureLength = length;
  }

  /** Takes the values of the feature that was found, and is ready for the next example. */
  void take(int row, ProtobufReader in) {
    boolean given = feature >= 0 && take(row, in, feature);
    feature = UNKNOWN;
    if (given && rows == row) {
      rows++;
    } else if (given || !input.optional() || rows > 0) {
      throw missing();
    }
  }

  /** False if the feature is of no kind, which is as if it were missing. */
  private boolean take(int row, ProtobufReader in, long at) {
    in.seek(at, at + featureLength);
    @Nullable FeatureKind found = null;
    long list = at;
    int length = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      FeatureKind named = FeatureKind.of(tag);
      if (named == null) {
        in.skip(tag);
      } else {
        found = named;
        length = in.length();
        list = in.position();
        in.pass(length);
      }
    }
    if (found == null) {
      return false;
    }
    if (found != kind) {
      throw wrong(
          row,
          "Data types don't match. Data type: %s but expected type: %s"
              .formatted(found.type(), kind.type()));
    }
    in.seek(list, list + length);
    takeValues(row, in);
    return true;
  }

  private void takeValues(int row, ProtobufReader in) {
    long before = out.elements();
    try {
      FeatureValues.read(kind, in, data, out);
    } catch (FeatureValues.OutOfRange e) {
      throw wrong(
          row,
          "Value " + e.value() + " is out of range for " + TensorflowTypeNames.of(input.type()));
    }
    checkWidth(row, out.elements() - before);
  }

  private void checkWidth(int row, long count) {
    if (width == UNKNOWN && fits(count)) {
      width = count;
    }
    if (count != width) {
      Shape wanted = inner.isFull() || width == UNKNOWN ? inner : Shape.of(width);
      throw wrong(
          row,
          "Number of %s values != expected.  Values size: %d but output shape: %s"
              .formatted(kind.list(), count, wanted));
    }
  }

  /** Returns whether so many values fill a shape with one open dimension. */
  private boolean fits(long count) {
    long[] dims = inner.dims();
    long known = Arrays.stream(dims).filter(dim -> dim != Shape.ANY).reduce(1, (a, b) -> a * b);
    long open = Arrays.stream(dims).filter(dim -> dim == Shape.ANY).count();
    return open == 1 && known > 0 && count % known == 0;
  }

  private InferenceException wrong(int row, String what) {
    return InferenceException.invalid(
        "Name: <unknown>, Key: " + input.name() + ", Index: " + row + ".  " + what);
  }

  private InferenceException missing() {
    return InferenceException.invalid(
        "Name: <unknown>, Feature: %s (data type: %s) is required but could not be found."
            .formatted(input.name(), kind.type()));
  }

  /** Returns whether the examples have the feature. */
  boolean isGiven() {
    return rows > 0;
  }

  /** Returns the tensor, which owns the memory from now on. */
  NamedTensor build() {
    long[] dims = inner.dims();
    for (int i = 0; i < dims.length; i++) {
      dims[i] = dims[i] == Shape.ANY ? openSize() : dims[i];
    }
    return new NamedTensor(input.name(), out.build(Shape.of(dims).prepend(rows)));
  }

  private long openSize() {
    long known = 1;
    for (long dim : inner.dims()) {
      known *= dim == Shape.ANY ? 1 : dim;
    }
    return width / known;
  }

  @Override
  public void close() {
    out.close();
  }
}
