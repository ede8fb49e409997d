package dev.sluice.runtime.tensorflow;

import static dev.sluice.runtime.tensorflow.ProtobufMessageReader.readNested;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Finds out whether a graph has variables that are restored from files. TensorFlow loads a
 * SavedModel without these files as if it had no variables, and then fails every run.
 */
final class DeclaredVariables {
  private static final String INDEX = "variables/variables.index";
  private static final Set<String> KINDS =
      Set.of("VarHandleOp", "VariableV2", "Variable", "ReadVariableOp");
  private static final int GRAPH = 2;
  private static final int SAVER = 3;
  private static final int NODE = 1;
  private static final int OPERATION = 2;
  private static final int RESTORE = 3;

  private boolean variables;
  private boolean restored;

  private DeclaredVariables() {}

  /**
   * Requires that the files of variables are there if the graph restores any. What is missing of
   * several shards, TensorFlow itself notices.
   *
   * @param metaGraph a serialized MetaGraphDef; read and not kept
   * @throws InferenceException with FAILED_PRECONDITION that names the file
   */
  static void require(Path folder, ByteBuffer metaGraph) {
    Path index = folder.resolve(INDEX);
    if (!Files.isRegularFile(index) && areIn(metaGraph)) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "the SavedModel declares variables, but " + index + " is not there");
    }
  }

  private static boolean areIn(ByteBuffer metaGraph) {
    var found = new DeclaredVariables();
    try {
      found.readMetaGraph(CodedInputStream.newInstance(metaGraph));
    } catch (IOException e) {
      throw new InferenceException(
          ErrorCode.INTERNAL, "the graph cannot be read: " + e.getMessage(), e);
    }
    return found.variables && found.restored;
  }

  private void readMetaGraph(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case GRAPH -> readNested(in, this::readGraph);
        case SAVER -> readNested(in, this::readSaver);
        default -> in.skipField(tag);
      }
    }
  }

  private void readSaver(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == RESTORE) {
        restored |= !in.readString().isEmpty();
      } else {
        in.skipField(tag);
      }
    }
  }

  private void readGraph(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == NODE && !variables) {
        readNested(in, this::readNode);
      } else {
        in.skipField(tag);
      }
    }
  }

  private void readNode(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == OPERATION) {
        variables |= KINDS.contains(in.readString());
      } else {
        in.skipField(tag);
      }
    }
  }
}
