package dev.sluice.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes a SavedModel that counts up to its scalar input {@code steps}, one turn of a loop for
 * each, and answers the count as {@code done}: a run takes as long as its caller says, and nothing
 * ends it before. By the field numbers of TensorFlow's SavedModel.
 */
public final class LoopModel {
  private static final int INT64 = 9;
  private static final int TYPE = 6;

  /** A shape of one dimension of one. */
  private static final ByteString ROW =
      message(shape -> shape.writeBytes(2, message(dim -> dim.writeInt64(1, 1))));

  private static final int FLOAT = 1;
  private static final int INT32 = 3;
  private static final int STRING = 7;

  /** Turns of the loop for each byte of examples. */
  private static final long TURNS_A_BYTE = 30_000;

  /** What the model takes and answers. */
  private enum Form {
    SCALAR,
    ROW,
    EXAMPLES
  }

  private final Form form;
  private final boolean row;

  private LoopModel(Form form) {
    this.form = form;
    this.row = form == Form.ROW;
  }

  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  /** Writes version 1 of a model into a folder of models. */
  public static void write(Path models, String name) throws IOException {
    new LoopModel(Form.SCALAR).writeTo(models, name);
  }

  /** Writes one that takes and answers its number as a row, for protocols that have no other. */
  public static void writeRow(Path models, String name) throws IOException {
    new LoopModel(Form.ROW).writeTo(models, name);
  }

  /**
   * Writes one that takes examples, by its signatures {@code classify} and {@code regress}, and
   * counts longer the larger they are: some seconds for those of a few bytes.
   */
  public static void writeExamples(Path models, String name) throws IOException {
    new LoopModel(Form.EXAMPLES).writeTo(models, name);
  }

  private void writeTo(Path models, String name) throws IOException {
    Path version = Files.createDirectories(models.resolve(name).resolve("1"));
    ByteString model =
        message(out -> {
          out.writeInt64(1, 1);
          out.writeBytes(2, metaGraph());
        });
    Files.write(version.resolve("saved_model.pb"), model.toByteArray());
  }

  private ByteString metaGraph() {
    return message(out -> {
      out.writeBytes(1, message(info -> info.writeString(4, "serve")));
      out.writeBytes(2, graph());
      if (form == Form.EXAMPLES) {
        out.writeBytes(5, entry("classify", signature("classify", "scores", "column:0", -1, 1)));
        out.writeBytes(5, entry("regress", signature("regress", "outputs", "results:0", -1)));
      } else {
        out.writeBytes(5, entry("serving_default", signature()));
      }
    });
  }

  private static ByteString signature(String verb, String output, String tensor, long... dims) {
    return message(out -> {
      out.writeBytes(1, entry("inputs", tensorInfo("examples:0", STRING, shape(-1))));
      out.writeBytes(2, entry(output, tensorInfo(tensor, FLOAT, shape(dims))));
      out.writeString(3, "tensorflow/serving/" + verb);
    });
  }

  private static ByteString shape(long... dims) {
    return message(shape -> {
      for (long size : dims) {
        shape.writeBytes(2, message(dim -> dim.writeInt64(1, size)));
      }
    });
  }

  private ByteString signature() {
    return message(out -> {
      out.writeBytes(1, entry("steps", tensorInfo("steps:0")));
      out.writeBytes(2, entry("done", tensorInfo(row ? "row:0" : "exit:0")));
      out.writeString(3, "tensorflow/serving/predict");
    });
  }

  private ByteString tensorInfo(String name) {
    return tensorInfo(name, INT64, row ? ROW : ByteString.EMPTY);
  }

  private static ByteString tensorInfo(String name, int type, ByteString shape) {
    return message(out -> {
      out.writeString(1, name);
      out.writeInt32(2, type);
      out.writeBytes(3, shape);
    });
  }

  private ByteString graph() {
    return message(out -> {
      if (form == Form.EXAMPLES) {
        countExamples(out);
      } else {
        node(out, "steps", "Placeholder", type("dtype"), shape());
      }
      node(out, "scalar", row ? "Squeeze" : "Identity", type("T"), input("steps"));
      node(out, "zero", "Const", type("dtype"), value(0));
      node(out, "one", "Const", type("dtype"), value(1));
      node(out, "enter", "Enter", type("T"), frame(false), input("zero"));
      node(out, "enter_steps", "Enter", type("T"), frame(true), input("scalar"));
      node(out, "enter_one", "Enter", type("T"), frame(true), input("one"));
      node(out, "count", "Merge", type("T"), two(), input("enter"), input("next"));
      node(out, "less", "Less", type("T"), input("count"), input("enter_steps"));
      node(out, "again", "LoopCond", input("less"));
      node(out, "switch", "Switch", type("T"), input("count"), input("again"));
      node(out, "add", "AddV2", type("T"), input("switch:1"), input("enter_one"));
      node(out, "next", "NextIteration", type("T"), input("add"));
      node(out, "exit", "Exit", type("T"), input("switch"));
      node(out, "row", "ExpandDims", type("T"), type("Tdim"), input("exit"), input("zero"));
      if (form == Form.EXAMPLES) {
        answerExamples(out);
      }
      out.writeBytes(4, message(versions -> versions.writeInt32(1, 987)));
    });
  }

  private static void countExamples(CodedOutputStream out) throws IOException {
    Fields strings = type("dtype", STRING);
    Fields vector = attribute("shape", attribute -> attribute.writeBytes(7, shape(-1)));
    node(out, "examples", "Placeholder", strings, vector);
    node(out, "lengths", "StringLength", input("examples"));
    node(out, "sizes", "Cast", type("SrcT", INT32), type("DstT"), input("lengths"));
    node(out, "size", "Sum", type("T"), type("Tidx"), input("sizes"), input("zero"));
    node(out, "turns", "Const", type("dtype"), value(TURNS_A_BYTE));
    node(out, "steps", "Mul", type("T"), input("size"), input("turns"));
  }

  private static void answerExamples(CodedOutputStream out) throws IOException {
    Fields floats = type("T", FLOAT);
    Fields toFloat = type("DstT", FLOAT);
    node(out, "each", "Cast", type("SrcT", INT32), toFloat, input("lengths"));
    node(out, "turned", "Cast", type("SrcT"), toFloat, input("exit"));
    node(out, "results", "AddV2", floats, input("each"), input("turned"));
    node(out, "column", "ExpandDims", floats, type("Tdim"), input("results"), input("one"));
  }

  private static void node(CodedOutputStream out, String name, String operator, Fields... parts)
      throws IOException {
    out.writeBytes(
        1,
        message(node -> {
          node.writeString(1, name);
          node.writeString(2, operator);
          for (Fields part : parts) {
            part.writeTo(node);
          }
        }));
  }

  private static Fields input(String from) {
    return node -> node.writeString(3, from);
  }

  private static Fields type(String name) {
    return type(name, INT64);
  }

  private static Fields type(String name, int type) {
    return attribute(name, attribute -> attribute.writeInt32(TYPE, type));
  }

  private Fields shape() {
    return attribute("shape", attribute -> attribute.writeBytes(7, row ? ROW : ByteString.EMPTY));
  }

  private static Fields two() {
    return attribute("N", attribute -> attribute.writeInt64(3, 2));
  }

  private static Fields frame(boolean constant) {
    return node -> {
      attribute("frame_name", attribute -> attribute.writeString(2, "loop")).writeTo(node);
      attribute("is_constant", attribute -> attribute.writeBool(5, constant)).writeTo(node);
    };
  }

  private static Fields value(long number) {
    ByteString tensor =
        message(out -> {
          out.writeInt32(1, INT64);
          out.writeBytes(2, ByteString.EMPTY);
          out.writeInt64(10, number);
        });
    return attribute("value", attribute -> attribute.writeBytes(8, tensor));
  }

  private static Fields attribute(String name, Fields value) {
    return node -> node.writeBytes(5, entry(name, message(value)));
  }

  private static ByteString entry(String key, ByteString value) {
    return message(out -> {
      out.writeString(1, key);
      out.writeBytes(2, value);
    });
  }

  private static ByteString message(Fields fields) {
    var bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      fields.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteString.copyFrom(bytes.toByteArray());
  }
}
