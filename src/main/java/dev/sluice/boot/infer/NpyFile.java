package dev.sluice.boot.infer;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.tensor.DataType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A file that NumPy's {@code save} wrote: a magic text, a header that is a Python dictionary, and
 * the elements.
 */
final class NpyFile {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

  private static final Pattern HEADER =
      Pattern.compile(
          "(?s)\\{'descr': '([<>|])(\\w+)', 'fortran_order': (True|False), 'shape': \\(([\\d,"
              + " ]*)\\).*");

  private static final Map<String, DataType> TYPES =
      Map.ofEntries(
          Map.entry("b1", DataType.BOOL),
          Map.entry("i1", DataType.INT8),
          Map.entry("i2", DataType.INT16),
          Map.entry("i4", DataType.INT32),
          Map.entry("i8", DataType.INT64),
          Map.entry("u1", DataType.UINT8),
          Map.entry("u2", DataType.UINT16),
          Map.entry("u4", DataType.UINT32),
          Map.entry("u8", DataType.UINT64),
          Map.entry("f2", DataType.FP16),
          Map.entry("f4", DataType.FP32),
          Map.entry("f8", DataType.FP64));

  private static final int MOST_EMPTY_ROWS = 1 << 16;

  /** Characters of a header in a message. */
  private static final int SHOWN = 200;

  private NpyFile() {}

  /**
   * Returns the array as an input.
   *
   * @throws ConfigException if it is no such file, or one of other elements than numbers
   */
  static InputTensor read(String name, Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.limit() < 12 || bytes.slice(0, MAGIC.length).mismatch(ByteBuffer.wrap(MAGIC)) >= 0) {
      throw new ConfigException(file + " is no file of NumPy");
    }
    boolean small = bytes.get(MAGIC.length) == 1;
    int length = small ? Short.toUnsignedInt(bytes.getShort(8)) : bytes.getInt(8);
    int start = small ? 10 : 12;
    if (length < 0 || length > bytes.limit() - start) {
      throw new ConfigException(file + " ends in its header");
    }
    String text = new String(bytes.array(), start, length, StandardCharsets.ISO_8859_1);
    Matcher header = HEADER.matcher(text);
    DataType type = header.matches() ? TYPES.get(header.group(2)) : null;
    if (type == null || header.group(3).equals("True")) {
      throw new ConfigException(
          file
              + " has the header "
              + shown(text.strip())
              + "; wanted numbers or booleans in C order");
    }
    List<Integer> shape = shape(header.group(4), file);
    bytes.position(start + length);
    bytes.order(header.group(1).equals(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    if (!holds(bytes.remaining() / type.byteSize(), shape)
        || bytes.remaining() % type.byteSize() != 0) {
      throw new ConfigException(file + " has not as many elements as its header says");
    }
    return new InputTensor(name, type, shape, RawElements.read(type, bytes));
  }

  private static List<Integer> shape(String text, Path file) {
    try {
      return Stream.of(text.split("[, ]+"))
          .filter(size -> !size.isEmpty())
          .map(Integer::valueOf)
          .toList();
    } catch (NumberFormatException e) {
      throw new ConfigException(
          file + " has a dimension in (" + shown(text) + ") that no tensor of a request has");
    }
  }

  /** Returns whether a shape has so many elements; one of none may not be of many empty rows. */
  private static boolean holds(int elements, List<Integer> shape) {
    long count = 1;
    for (int size : shape) {
      if (size == 0) {
        return elements == 0;
      }
      count *= size;
      if (count > Integer.MAX_VALUE || (elements == 0 && count > MOST_EMPTY_ROWS)) {
        return false;
      }
    }
    return count == elements;
  }

  private static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }
}
