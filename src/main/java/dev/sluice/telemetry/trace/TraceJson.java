package dev.sluice.telemetry.trace;

import dev.sluice.inference.RequestTrace.Event;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Traces as elements of Triton's JSON trace file: an object for each model, point and tensor.
 * Values of tensors are texts, as its summary tool reads them.
 */
final class TraceJson {
  private static final int FLOAT_BITS = 16;
  private static final long UNSIGNED_INT = 0xFFFF_FFFFL;

  private TraceJson() {}

  /** Returns the elements, with commas between. */
  static String elements(List<Event> events) {
    var all = new StringJoiner(",");
    events.forEach(event -> all.add(element(event)));
    return all.toString();
  }

  private static String element(Event event) {
    return switch (event) {
      case Event.Begun begun ->
          "{\"id\":%d,\"model_name\":%s,\"model_version\":%d%s%s}"
              .formatted(
                  begun.id(),
                  quoted(begun.model().name()),
                  begun.model().version(),
                  begun.requestId().isEmpty() ? "" : ",\"request_id\":" + quoted(begun.requestId()),
                  begun.parent() == 0 ? "" : ",\"parent_id\":" + begun.parent());
      case Event.Reached reached ->
          "{\"id\":%d,\"timestamps\":[{\"name\":\"%s\",\"ns\":%d}]}"
              .formatted(reached.id(), reached.point(), reached.nanos());
      case Event.Carried carried -> tensor(carried);
      case Event.Ran _, Event.Delayed _ ->
          throw new IllegalArgumentException("its points are there by themselves");
    };
  }

  /**
   * Formats the record of a tensor; one that the trace had no room for is there by another name,
   * without data.
   */
  private static String tensor(Event.Carried carried) {
    byte[] data = carried.data();
    String head =
        "{\"id\":%d,\"activity\":\"%s\",\"tensor\":{\"name\":%s"
            .formatted(
                carried.id(),
                carried.activity() + (data == null ? "_OMITTED" : ""),
                quoted(carried.name()));
    String tail =
        ",\"shape\":\"%s\",\"dtype\":\"%s\"}}".formatted(shape(carried.shape()), carried.type());
    return data == null
        ? head + tail
        : head + ",\"data\":" + quoted(values(carried.type(), data)) + tail;
  }

  private static String shape(Shape shape) {
    return LongStream.of(shape.dims()).mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  private static String values(DataType type, byte[] data) {
    ByteBuffer from = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    var values = new StringJoiner(",");
    while (from.hasRemaining()) {
      values.add(value(type, from));
    }
    return values.toString();
  }

  private static String value(DataType type, ByteBuffer from) {
    return switch (type) {
      case BOOL -> from.get() == 0 ? "0" : "1";
      case UINT8, QUINT8 -> Integer.toString(Byte.toUnsignedInt(from.get()));
      case INT8, QINT8 -> Byte.toString(from.get());
      case UINT16, QUINT16 -> Integer.toString(Short.toUnsignedInt(from.getShort()));
      case INT16, QINT16 -> Short.toString(from.getShort());
      case UINT32 -> Long.toString(from.getInt() & UNSIGNED_INT);
      case INT32, QINT32 -> Integer.toString(from.getInt());
      case UINT64 -> Long.toUnsignedString(from.getLong());
      case INT64 -> Long.toString(from.getLong());
      case FP16 -> Float.toString(Float.float16ToFloat(from.getShort()));
      case BF16 -> Float.toString(Float.intBitsToFloat(from.getShort() << FLOAT_BITS));
      case FP32 -> Float.toString(from.getFloat());
      case FP64 -> Double.toString(from.getDouble());
      case COMPLEX64 -> from.getFloat() + "+" + from.getFloat() + "j";
      case COMPLEX128 -> from.getDouble() + "+" + from.getDouble() + "j";
      case BYTES -> text(from);
      case UNSUPPORTED -> throw new IllegalArgumentException("no tensor has the type " + type);
    };
  }

  /** Quoted as in CSV. */
  private static String text(ByteBuffer from) {
    byte[] bytes = new byte[from.getInt()];
    from.get(bytes);
    return '"' + new String(bytes, StandardCharsets.UTF_8).replace("\"", "\"\"") + '"';
  }

  private static String quoted(String text) {
    var json = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }
}
