package dev.sluice.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Writes small ONNX models, by the field numbers of ONNX's ModelProto. */
public final class OnnxModelWriter {
  /** ONNX's number of the element type of floats. */
  public static final int FLOAT = 1;

  public static final int UINT8 = 2;

  public static final int INT64 = 7;

  public static final int BOOL = 9;

  public static final int COMPLEX64 = 14;

  /** The domain of the operators of classical machine learning. */
  public static final String CLASSICAL = "ai.onnx.ml";

  /** The domain of ONNX Runtime's own operators. */
  public static final String MICROSOFT = "com.microsoft";

  private static final int OPSET = 13;
  private static final int CLASSICAL_OPSET = 3;
  private static final int IR_VERSION = 7;
  private static final int NEW_IR_VERSION = 11;

  private final ByteArrayOutputStream graph = new ByteArrayOutputStream();
  private final int opset;

  public OnnxModelWriter() {
    this(OPSET);
  }

  /**
   * @param opset the version of ONNX's own operators
   */
  public OnnxModelWriter(int opset) {
    this.opset = opset;
  }

  /** A fragment of a message. */
  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  /** A model whose {@code y} is twice {@code x}, in pairs of numbers. */
  public static OnnxModelWriter twice() {
    return new OnnxModelWriter()
        .input("x", FLOAT, "rows", "2")
        .output("y", FLOAT, "rows", "2")
        .node("Add", "y", "x", "x");
  }

  /**
   * Adds an input.
   *
   * @param dims numbers, or names of open dimensions, or "" for an open one without a name
   */
  public OnnxModelWriter input(String name, int type, String... dims) {
    return add(11, valueInfo(name, tensorType(type, dims)));
  }

  public OnnxModelWriter output(String name, int type, String... dims) {
    return add(12, valueInfo(name, tensorType(type, dims)));
  }

  /** Adds an input of any number of dimensions. */
  public OnnxModelWriter inputOfUnknownRank(String name, int type) {
    return add(11, valueInfo(name, message(out -> field(out, 1, elementType(type)))));
  }

  public OnnxModelWriter outputOfUnknownRank(String name, int type) {
    return add(12, valueInfo(name, message(out -> field(out, 1, elementType(type)))));
  }

  /** Adds an input that is a sequence of float tensors. */
  public OnnxModelWriter sequenceInput(String name) {
    return add(11, valueInfo(name, sequenceType()));
  }

  public OnnxModelWriter sequenceOutput(String name) {
    return add(12, valueInfo(name, sequenceType()));
  }

  /** Adds a float constant of one dimension; one that is also an input is that input's default. */
  public OnnxModelWriter initializer(String name, float... values) {
    return constant(name, List.of(values.length), values);
  }

  /** Adds a float constant of two dimensions, given row by row. */
  public OnnxModelWriter matrix(String name, int rows, int columns, float... values) {
    return constant(name, List.of(rows, columns), values);
  }

  private OnnxModelWriter constant(String name, List<Integer> dims, float... values) {
    return add(
        5,
        message(out -> {
          for (int dim : dims) {
            out.writeInt64(1, dim);
          }
          out.writeInt32(2, FLOAT);
          for (float value : values) {
            out.writeFloat(4, value);
          }
          out.writeString(8, name);
        }));
  }

  /** Adds a constant of whole numbers, of one dimension. */
  public OnnxModelWriter integers(String name, long... values) {
    return add(
        5,
        message(out -> {
          out.writeInt64(1, values.length);
          out.writeInt32(2, INT64);
          for (long value : values) {
            out.writeInt64(7, value);
          }
          out.writeString(8, name);
        }));
  }

  /**
   * Adds a constant of bytes that lie elsewhere.
   *
   * @param where its name and value entries, such as {@code location} and {@code offset}
   */
  public OnnxModelWriter external(String name, int bytes, Map<String, String> where) {
    return add(5, externalTensor(name, bytes, where));
  }

  /** Adds an operator that returns a tensor of bytes that lie elsewhere. */
  public OnnxModelWriter externalConstant(String output, int bytes, Map<String, String> where) {
    return node("", "Constant", Map.of("value", externalTensor("", bytes, where)), List.of(output));
  }

  private static ByteString externalTensor(String name, int bytes, Map<String, String> where) {
    return message(out -> {
      out.writeInt64(1, bytes);
      out.writeInt32(2, UINT8);
      out.writeString(8, name);
      for (Map.Entry<String, String> entry : where.entrySet()) {
        field(
            out,
            13,
            message(pair -> {
              pair.writeString(1, entry.getKey());
              pair.writeString(2, entry.getValue());
            }));
      }
      out.writeInt32(14, 1);
    });
  }

  /** Adds an operator that works along one dimension. */
  public OnnxModelWriter nodeAlong(int axis, String operator, String output, String... inputs) {
    return node("", operator, Map.of("axis", (long) axis), List.of(output), inputs);
  }

  /** Adds an operator with one output. */
  public OnnxModelWriter node(String operator, String output, String... inputs) {
    return node("", operator, Map.of(), List.of(output), inputs);
  }

  /**
   * Adds an operator.
   *
   * @param domain {@link #CLASSICAL} or {@link #MICROSOFT}, or empty for ONNX's own
   * @param attributes each a {@link Long}, a {@link Float}, a {@link String}, an array of long or
   *     of float, a list of strings, or a writer, whose graph is a subgraph
   */
  public OnnxModelWriter node(
      String domain,
      String operator,
      Map<String, Object> attributes,
      List<String> outputs,
      String... inputs) {
    return node("", domain, operator, attributes, outputs, inputs);
  }

  /** Adds one of ONNX's own operators under a name. */
  public OnnxModelWriter named(
      String name,
      String operator,
      Map<String, Object> attributes,
      List<String> outputs,
      String... inputs) {
    return node(name, "", operator, attributes, outputs, inputs);
  }

  private OnnxModelWriter node(
      String name,
      String domain,
      String operator,
      Map<String, Object> attributes,
      List<String> outputs,
      String... inputs) {
    return add(
        1,
        message(out -> {
          for (String input : inputs) {
            out.writeString(1, input);
          }
          for (String output : outputs) {
            out.writeString(2, output);
          }
          out.writeString(3, name);
          out.writeString(4, operator);
          for (Map.Entry<String, Object> attribute : attributes.entrySet()) {
            field(out, 5, attribute(attribute.getKey(), attribute.getValue()));
          }
          out.writeString(7, domain);
        }));
  }

  private static ByteString attribute(String name, Object value) {
    return message(out -> {
      out.writeString(1, name);
      switch (value) {
        case Long number -> {
          out.writeInt64(3, number);
          out.writeInt32(20, 2);
        }
        case Float number -> {
          out.writeFloat(2, number);
          out.writeInt32(20, 1);
        }
        case String text -> {
          out.writeString(4, text);
          out.writeInt32(20, 3);
        }
        case float[] numbers -> {
          for (float number : numbers) {
            out.writeFloat(7, number);
          }
          out.writeInt32(20, 6);
        }
        case long[] numbers -> {
          for (long number : numbers) {
            out.writeInt64(8, number);
          }
          out.writeInt32(20, 7);
        }
        case ByteString tensor -> {
          field(out, 5, tensor);
          out.writeInt32(20, 4);
        }
        case OnnxModelWriter subgraph -> {
          field(out, 6, message(subgraph::writeGraph));
          out.writeInt32(20, 5);
        }
        case List<?> texts -> {
          for (Object text : texts) {
            out.writeString(9, (String) text);
          }
          out.writeInt32(20, 8);
        }
        default -> throw new IllegalArgumentException(name + " is " + value);
      }
    });
  }

  /** Writes {@code model.onnx} into a folder, which is returned. */
  public Path writeTo(Path folder) throws IOException {
    Files.write(folder.resolve("model.onnx"), toByteArray());
    return folder;
  }

  /** The bytes of the model's file. */
  public byte[] toByteArray() {
    ByteString model =
        message(out -> {
          out.writeInt64(1, opset == OPSET ? IR_VERSION : NEW_IR_VERSION);
          field(out, 7, message(this::writeGraph));
          field(out, 8, message(own -> own.writeInt64(2, opset)));
          field(
              out,
              8,
              message(opset -> {
                opset.writeString(1, CLASSICAL);
                opset.writeInt64(2, CLASSICAL_OPSET);
              }));
          field(
              out,
              8,
              message(opset -> {
                opset.writeString(1, MICROSOFT);
                opset.writeInt64(2, 1);
              }));
        });
    return model.toByteArray();
  }

  private void writeGraph(CodedOutputStream out) throws IOException {
    out.writeRawBytes(graph.toByteArray());
    out.writeString(2, "test");
  }

  private OnnxModelWriter add(int field, ByteString value) {
    graph.writeBytes(message(out -> field(out, field, value)).toByteArray());
    return this;
  }

  private static ByteString valueInfo(String name, ByteString type) {
    return message(out -> {
      out.writeString(1, name);
      field(out, 2, type);
    });
  }

  private static ByteString tensorType(int type, String... dims) {
    ByteString shape =
        message(out -> {
          for (String dim : dims) {
            field(out, 1, dimension(dim));
          }
        });
    return message(
        out -> field(out, 1, elementType(type).concat(message(tensor -> field(tensor, 2, shape)))));
  }

  private static ByteString sequenceType() {
    return message(
        out -> field(out, 4, message(sequence -> field(sequence, 1, tensorType(FLOAT)))));
  }

  private static ByteString elementType(int type) {
    return message(out -> out.writeInt32(1, type));
  }

  private static ByteString dimension(String dim) {
    return message(out -> {
      if (dim.matches("\\d+")) {
        out.writeInt64(1, Long.parseLong(dim));
      } else if (!dim.isEmpty()) {
        out.writeString(2, dim);
      }
    });
  }

  private static void field(CodedOutputStream out, int field, ByteString value) throws IOException {
    out.writeBytes(field, value);
  }

  private static ByteString message(Fields fields) {
    var bytes = new ByteArrayOutputStream();
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      fields.writeTo(out);
      out.flush();
      return ByteString.copyFrom(bytes.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
