package dev.sluice.runtime.tensorflow;

import static dev.sluice.runtime.tensorflow.ProtobufMessageReader.readMessage;
import static dev.sluice.runtime.tensorflow.ProtobufMessageReader.readNested;

import com.google.protobuf.CodedInputStream;
import dev.sluice.tensor.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The TensorInfo message of one input or output in a signature.
 *
 * @param name the graph's name for it; empty if it is made of others
 * @param type TensorFlow's number of its element type
 * @param made what it is made of
 * @param message the message itself. Read-only; read a duplicate
 */
record TensorInfo(String name, int type, Shape shape, Made made, ByteBuffer message) {
  /** The kind of tensor: dense, or composed of several. */
  sealed interface Made {}

  /** It is one tensor. */
  record OfItself() implements Made {}

  /** {@code coo_sparse}: the graph's names of its coordinates, its values and its shape. */
  record OfCoordinates(String indices, String values, String denseShape) implements Made {}

  /**
   * {@code composite_tensor}.
   *
   * @param typeClass TensorFlow's number of what it is
   */
  record OfComponents(int typeClass, List<TensorInfo> components) implements Made {}

  /** The fields of a message, as they are read. */
  private static final class Fields {
    private String name = "";
    private int type;
    private Shape shape = Shape.SCALAR;
    private Made made = new OfItself();
  }

  /** Reads the rest of a message. */
  static TensorInfo read(CodedInputStream in) throws IOException {
    ByteBuffer message = ProtobufMessageReader.rest(in);
    var fields = new Fields();
    readMessage(
        CodedInputStream.newInstance(message.duplicate()),
        (field, value) -> {
          switch (field) {
            case 1 -> fields.name = value.readString();
            case 2 -> fields.type = value.readEnum();
            case 3 -> readNested(value, nested -> fields.shape = shape(nested));
            case 4 -> readNested(value, nested -> fields.made = coordinates(nested));
            case 5 -> readNested(value, nested -> fields.made = components(nested));
            default -> {
              return false;
            }
          }
          return true;
        });
    return new TensorInfo(fields.name, fields.type, fields.shape, fields.made, message);
  }

  private static Made coordinates(CodedInputStream in) throws IOException {
    var names = new String[] {"", "", ""};
    readMessage(
        in,
        (field, value) -> {
          if (field > names.length) {
            return false;
          }
          names[field - 1] = value.readString();
          return true;
        });
    return new OfCoordinates(names[1], names[0], names[2]);
  }

  private static Made components(CodedInputStream in) throws IOException {
    var components = new ArrayList<TensorInfo>();
    var typeClass = new int[1];
    readMessage(
        in,
        (field, value) -> {
          switch (field) {
            case 1 -> readNested(value, type -> typeClass[0] = typeClass(type));
            case 2 -> readNested(value, component -> components.add(read(component)));
            default -> {
              return false;
            }
          }
          return true;
        });
    return new OfComponents(typeClass[0], List.copyOf(components));
  }

  private static int typeClass(CodedInputStream in) throws IOException {
    var typeClass = new int[1];
    readMessage(
        in,
        (field, value) -> {
          if (field == 1) {
            typeClass[0] = value.readEnum();
          }
          return field == 1;
        });
    return typeClass[0];
  }

  private static Shape shape(CodedInputStream message) throws IOException {
    var dims = new ArrayList<Long>();
    var unknown = new boolean[1];
    readMessage(
        message,
        (field, in) -> {
          switch (field) {
            case 2 -> readNested(in, nested -> dims.add(dim(nested)));
            case 3 -> unknown[0] = in.readBool();
            default -> {
              return false;
            }
          }
          return true;
        });
    return unknown[0] ? Shape.UNKNOWN : Shape.of(dims.stream().mapToLong(d -> d).toArray());
  }

  private static long dim(CodedInputStream message) throws IOException {
    var size = new long[1];
    readMessage(
        message,
        (field, in) -> {
          if (field == 1) {
            size[0] = Math.max(Shape.ANY, in.readInt64());
          }
          return field == 1;
        });
    return size[0];
  }
}
