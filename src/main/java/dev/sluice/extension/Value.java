package dev.sluice.extension;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A tensor with a name, on the heap. Never changes, so any thread may read it: arrays that go in
 * are not copied and must be left alone, arrays that come out are copies.
 *
 * <p>Layout of its bytes: elements in row-major order, little-endian. BOOL is one byte, 0 or 1.
 * BYTES is, per element, a 32-bit length and that many bytes.
 */
public final class Value {
  private static final int LENGTH = Integer.BYTES;

  private final String name;
  private final DataType type;
  private final Shape shape;
  private final byte[] data;

  private Value(String name, DataType type, Shape shape, byte[] data) {
    this.name = name;
    this.type = type;
    this.shape = shape;
    this.data = data;
  }

  /**
   * Returns a value of bytes in the layout above, which it keeps.
   *
   * @throws IllegalArgumentException if the shape has another number of elements
   */
  public static Value of(String name, DataType type, Shape shape, byte[] data) {
    if (!type.isCommon()) {
      throw new IllegalArgumentException(
          "output " + name + " is " + type + ", which not every protocol carries");
    }
    long elements = type.isFixedSize() ? data.length / type.byteSize() : countBytes(data);
    boolean whole = elements >= 0 && (!type.isFixedSize() || data.length % type.byteSize() == 0);
    if (!whole || elements != shape.elementCount()) {
      throw new IllegalArgumentException(
          "%s: %d bytes are no %s%s".formatted(name, data.length, type, shape));
    }
    return new Value(name, type, shape, data);
  }

  /** Returns how many elements of BYTES these are; -1 if a length points beyond the data. */
  private static long countBytes(byte[] data) {
    ByteBuffer in = little(data);
    long count = 0;
    while (in.remaining() >= LENGTH) {
      int length = in.getInt();
      if (length < 0 || length > in.remaining()) {
        return -1;
      }
      in.position(in.position() + length);
      count++;
    }
    return in.hasRemaining() ? -1 : count;
  }

  /** FP32. */
  public static Value floats(String name, Shape shape, float... elements) {
    byte[] data = room(elements.length, Float.BYTES);
    little(data).asFloatBuffer().put(elements);
    return of(name, DataType.FP32, shape, data);
  }

  /** FP64. */
  public static Value doubles(String name, Shape shape, double... elements) {
    byte[] data = room(elements.length, Double.BYTES);
    little(data).asDoubleBuffer().put(elements);
    return of(name, DataType.FP64, shape, data);
  }

  /** INT32. */
  public static Value ints(String name, Shape shape, int... elements) {
    byte[] data = room(elements.length, Integer.BYTES);
    little(data).asIntBuffer().put(elements);
    return of(name, DataType.INT32, shape, data);
  }

  /** INT64. */
  public static Value longs(String name, Shape shape, long... elements) {
    byte[] data = room(elements.length, Long.BYTES);
    little(data).asLongBuffer().put(elements);
    return of(name, DataType.INT64, shape, data);
  }

  /** BYTES, each element a text in UTF-8. */
  public static Value texts(String name, Shape shape, String... elements) {
    return elements(
        name, shape, Arrays.stream(elements).map(text -> text.getBytes(UTF_8)).toList());
  }

  /** BYTES of one element, of shape [1]: a text in UTF-8. */
  public static Value text(String name, String text) {
    return texts(name, Shape.of(1), text);
  }

  /** BYTES of one element, of shape [1]. */
  public static Value bytes(String name, byte[] element) {
    return elements(name, Shape.of(1), List.of(element));
  }

  /** BYTES. */
  public static Value elements(String name, Shape shape, List<byte[]> elements) {
    long size = elements.stream().mapToLong(element -> LENGTH + (long) element.length).sum();
    byte[] data = new byte[Math.toIntExact(size)];
    ByteBuffer out = little(data);
    elements.forEach(element -> out.putInt(element.length).put(element));
    return of(name, DataType.BYTES, shape, data);
  }

  private static byte[] room(int elements, int size) {
    return new byte[Math.multiplyExact(elements, size)];
  }

  private static ByteBuffer little(byte[] data) {
    return ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the name of the input or output that this is the value of. */
  public String name() {
    return name;
  }

  /** Returns the type of all elements. */
  public DataType type() {
    return type;
  }

  /** Returns the shape, with every dimension known. */
  public Shape shape() {
    return shape;
  }

  /** Returns the same under another name. */
  public Value named(String other) {
    return new Value(other, type, shape, data);
  }

  /** Returns its bytes, to be read only, in the layout above. */
  public ByteBuffer data() {
    return ByteBuffer.wrap(data).asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the elements of FP32. */
  public float[] floats() {
    require(DataType.FP32);
    float[] elements = new float[data.length / Float.BYTES];
    data().asFloatBuffer().get(elements);
    return elements;
  }

  /** Returns the elements of FP64. */
  public double[] doubles() {
    require(DataType.FP64);
    double[] elements = new double[data.length / Double.BYTES];
    data().asDoubleBuffer().get(elements);
    return elements;
  }

  /** Returns the elements of INT32. */
  public int[] ints() {
    require(DataType.INT32);
    int[] elements = new int[data.length / Integer.BYTES];
    data().asIntBuffer().get(elements);
    return elements;
  }

  /** Returns the elements of INT64. */
  public long[] longs() {
    require(DataType.INT64);
    long[] elements = new long[data.length / Long.BYTES];
    data().asLongBuffer().get(elements);
    return elements;
  }

  /** Returns the elements of BYTES. */
  public List<byte[]> elements() {
    require(DataType.BYTES);
    List<byte[]> elements = new ArrayList<>();
    ByteBuffer in = data();
    while (in.hasRemaining()) {
      byte[] element = new byte[in.getInt()];
      in.get(element);
      elements.add(element);
    }
    return elements;
  }

  /** Returns the elements of BYTES as UTF-8. */
  public List<String> texts() {
    return elements().stream().map(element -> new String(element, UTF_8)).toList();
  }

  /** Returns the only element of BYTES, as UTF-8. */
  public String text() {
    List<String> texts = texts();
    if (texts.size() != 1) {
      throw Refusal.invalid("'%s' has %d elements, wanted one".formatted(name, texts.size()));
    }
    return texts.getFirst();
  }

  private void require(DataType wanted) {
    if (type != wanted) {
      throw Refusal.invalid("'%s' is %s, wanted %s".formatted(name, type, wanted));
    }
  }

  @Override
  public String toString() {
    return name + " " + type + shape;
  }
}
