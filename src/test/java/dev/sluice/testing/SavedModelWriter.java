package dev.sluice.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Writes small SavedModels of float tensors, by the field numbers of TensorFlow's SavedModel. Their
 * only signature is the default one.
 */
public final class SavedModelWriter {
  private static final int FLOAT = 1;
  private static final int PRODUCER = 1087;

  private final UnknownFieldSet.Builder graph = UnknownFieldSet.newBuilder();
  private final UnknownFieldSet.Builder signature =
      UnknownFieldSet.newBuilder().addField(3, text("tensorflow/serving/predict"));

  /** Adds an input of any number of rows. */
  public SavedModelWriter input(String name, int width) {
    node(name, "Placeholder", Map.of("dtype", type(FLOAT)));
    signature.mergeField(1, entry(name, info(name, width)));
    return this;
  }

  /** Adds an output, which is the value of a node of its name. */
  public SavedModelWriter output(String name, int width) {
    signature.mergeField(2, entry(name, info(name, width)));
    return this;
  }

  public SavedModelWriter identity(String name, String input) {
    return node(name, "Identity", Map.of("T", type(FLOAT)), input);
  }

  /** Adds a node that puts a value into a variable and reads the variable after that. */
  public SavedModelWriter assignAndRead(String name, String input) {
    Map<String, ByteString> dtype = Map.of("dtype", type(FLOAT));
    node(
        name + "_variable",
        "VarHandleOp",
        Map.of("dtype", type(FLOAT), "shape", anyShape(), "shared_name", named(name)));
    node(name + "_assign", "AssignVariableOp", dtype, name + "_variable", input);
    return node(name, "ReadVariableOp", dtype, name + "_variable", "^" + name + "_assign");
  }

  private SavedModelWriter node(
      String name, String operator, Map<String, ByteString> attributes, String... inputs) {
    var node = message().addField(1, text(name)).addField(2, text(operator));
    for (String input : inputs) {
      node.mergeField(3, text(input));
    }
    attributes.forEach((key, value) -> node.mergeField(5, entry(key, value)));
    graph.mergeField(1, bytes(node.build().toByteString()));
    return this;
  }

  /** Writes {@code saved_model.pb} into a folder, which is returned. */
  public Path writeTo(Path folder) throws IOException {
    graph.addField(4, bytes(message().addField(1, number(PRODUCER)).build().toByteString()));
    var metaGraph =
        message()
            .addField(1, bytes(message().addField(4, text("serve")).build().toByteString()))
            .addField(2, bytes(graph.build().toByteString()))
            .addField(5, entry("serving_default", signature.build().toByteString()));
    var model =
        message().addField(1, number(1)).addField(2, bytes(metaGraph.build().toByteString()));
    Files.write(folder.resolve("saved_model.pb"), model.build().toByteArray());
    return folder;
  }

  private static ByteString info(String name, int width) {
    var rows = message().addField(1, number(-1));
    var columns = message().addField(1, number(width));
    var shape =
        message()
            .mergeField(2, bytes(rows.build().toByteString()))
            .mergeField(2, bytes(columns.build().toByteString()));
    return message()
        .addField(1, text(name + ":0"))
        .addField(2, number(FLOAT))
        .addField(3, bytes(shape.build().toByteString()))
        .build()
        .toByteString();
  }

  private static ByteString anyShape() {
    ByteString unknownRank = message().addField(3, number(1)).build().toByteString();
    return message().addField(7, bytes(unknownRank)).build().toByteString();
  }

  private static ByteString named(String name) {
    return message().addField(2, text(name)).build().toByteString();
  }

  private static ByteString type(int type) {
    return message().addField(6, number(type)).build().toByteString();
  }

  private static Field entry(String key, ByteString value) {
    return bytes(message().addField(1, text(key)).addField(2, bytes(value)).build().toByteString());
  }

  private static UnknownFieldSet.Builder message() {
    return UnknownFieldSet.newBuilder();
  }

  private static Field text(String text) {
    return bytes(ByteString.copyFromUtf8(text));
  }

  private static Field bytes(ByteString bytes) {
    return Field.newBuilder().addLengthDelimited(bytes).build();
  }

  private static Field number(long number) {
    return Field.newBuilder().addVarint(number).build();
  }
}
