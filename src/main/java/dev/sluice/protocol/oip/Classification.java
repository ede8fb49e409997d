package dev.sluice.protocol.oip;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.HalfFloats;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Shows an output's best elements in place of all: the classification extension
 * (src/docs/reference/protocols/open-inference.md). Each is a text, {@code value:index} or {@code
 * value:index:label}, the largest value first, of equal ones the first, NaN last.
 */
public final class Classification {
  /** Elements of one item that are looked through. */
  private static final long MOST_ELEMENTS = 1_000_000;

  /** Decimals of a value, as C's printf has by default. */
  private static final int DECIMALS = 6;

  private final Tensor scores;
  private final MemorySegment data;
  private final List<String> labels;
  private final int items;
  private final int perItem;
  private final int shown;

  private Classification(Tensor scores, int most, boolean batched, List<String> labels) {
    this.scores = scores;
    this.data = scores.data();
    this.labels = labels;
    Shape shape = scores.shape();
    boolean rows = batched && shape.rank() > 0;
    this.items = rows ? Math.toIntExact(shape.dim(0)) : 1;
    this.perItem = items == 0 ? 0 : (int) (scores.elementCount() / items);
    this.shown = Math.min(most, perItem);
  }

  /**
   * Checks that the outputs whose best elements are wanted have elements that can be compared.
   *
   * @throws InferenceException with INVALID_ARGUMENT if not
   */
  public static void check(Signature signature, Map<String, Integer> wanted) {
    for (String output : wanted.keySet()) {
      DataType type = signature.output(output).orElseThrow().type();
      if (!type.isInteger() && !type.isFloat()) {
        throw InferenceException.invalid(
            "class result not available for output '"
                + output
                + "' due to unsupported type '"
                + type
                + "'");
      }
    }
  }

  /**
   * Returns the encoded form of a response with some outputs' best elements in their place. The
   * response stays the caller's.
   *
   * @param wanted by output, how many elements of each item
   * @param encoder borrows what it encodes
   * @throws InferenceException with INVALID_ARGUMENT if an item has too many elements
   */
  public static <T> T in(
      InferenceResponse response,
      Map<String, Integer> wanted,
      ModelMetadata model,
      Function<InferenceResponse, T> encoder) {
    if (wanted.isEmpty()) {
      return encoder.apply(response);
    }
    List<NamedTensor> outputs = new ArrayList<>(response.outputs());
    List<NamedTensor> classes = new ArrayList<>(wanted.size());
    try {
      for (int i = 0; i < outputs.size(); i++) {
        NamedTensor output = outputs.get(i);
        @Nullable Integer most = wanted.get(output.name());
        if (most != null) {
          classes.add(new NamedTensor(output.name(), of(output, most, model)));
          outputs.set(i, classes.getLast());
        }
      }
      return encoder.apply(response.withOutputs(outputs));
    } finally {
      NamedTensor.closeAll(classes);
    }
  }

  private static Tensor of(NamedTensor output, int most, ModelMetadata model) {
    Tensor scores = output.tensor();
    boolean batched = model.maxBatchSize() > 0;
    long items = batched && scores.shape().rank() > 0 ? scores.shape().dim(0) : 1;
    if (items > 0 && scores.elementCount() / items > MOST_ELEMENTS) {
      throw InferenceException.invalid(
          "output '"
              + output.name()
              + "' has "
              + scores.elementCount() / items
              + " elements, classification takes at most "
              + MOST_ELEMENTS);
    }
    List<String> labels = model.classLabels().getOrDefault(output.name(), List.of());
    return new Classification(scores, most, batched, labels).classes(batched);
  }

  private Tensor classes(boolean batched) {
    try (var builder = new TensorBuilder(DataType.BYTES, 24L * items * shown)) {
      for (int item = 0; item < items && shown > 0; item++) {
        var best = new TopElements(shown);
        for (int i = 0; i < perItem; i++) {
          best.add(key(item * (long) perItem + i), i);
        }
        for (int index : best.take()) {
          put(item, index, builder);
        }
      }
      return builder.build(batched ? Shape.of(items, shown) : Shape.of(shown));
    }
  }

  private void put(int item, int index, TensorBuilder out) {
    String text = value(item * (long) perItem + index) + ":" + index;
    String labelled = index < labels.size() ? text + ":" + labels.get(index) : text;
    byte[] bytes = labelled.getBytes(StandardCharsets.UTF_8);
    out.putBytes(bytes, 0, bytes.length);
  }

  /** Returns a number that is the larger the larger the element is, whatever its type. */
  private long key(long i) {
    return switch (scores.type()) {
      case UINT64 -> whole(i) ^ Long.MIN_VALUE;
      case FP16, BF16, FP32, FP64 -> key(fraction(i));
      default -> whole(i);
    };
  }

  private static long key(double value) {
    if (Double.isNaN(value)) {
      return Long.MIN_VALUE;
    }
    // Zeros of both signs are equal.
    long bits = Double.doubleToLongBits(value + 0.0);
    return bits ^ ((bits >> 63) & Long.MAX_VALUE);
  }

  private String value(long i) {
    return switch (scores.type()) {
      case UINT64 -> Long.toUnsignedString(whole(i));
      case FP16, BF16, FP32, FP64 -> text(fraction(i));
      default -> Long.toString(whole(i));
    };
  }

  /** Returns the value as C's printf writes it: exact, then rounded. */
  private static String text(double value) {
    if (Double.isNaN(value)) {
      return "nan";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "inf" : "-inf";
    }
    BigDecimal rounded = new BigDecimal(value).setScale(DECIMALS, RoundingMode.HALF_EVEN);
    boolean lostItsSign = rounded.signum() == 0 && Double.doubleToRawLongBits(value) < 0;
    return (lostItsSign ? "-" : "") + rounded.toPlainString();
  }

  private long whole(long i) {
    return switch (scores.type()) {
      case UINT8 -> data.get(JAVA_BYTE, i) & 0xFFL;
      case INT8 -> data.get(JAVA_BYTE, i);
      case UINT16 -> data.getAtIndex(JAVA_SHORT, i) & 0xFFFFL;
      case INT16 -> data.getAtIndex(JAVA_SHORT, i);
      case UINT32 -> data.getAtIndex(JAVA_INT, i) & 0xFFFF_FFFFL;
      case INT32 -> data.getAtIndex(JAVA_INT, i);
      default -> data.getAtIndex(JAVA_LONG, i);
    };
  }

  private double fraction(long i) {
    return switch (scores.type()) {
      case FP16 -> HalfFloats.fromFp16(data.getAtIndex(JAVA_SHORT, i));
      case BF16 -> HalfFloats.fromBf16(data.getAtIndex(JAVA_SHORT, i));
      case FP32 -> data.getAtIndex(JAVA_FLOAT, i);
      default -> data.getAtIndex(JAVA_DOUBLE, i);
    };
  }
}
