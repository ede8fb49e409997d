package dev.sluice.runtime.tensorflow;

import static dev.sluice.runtime.tensorflow.ProtobufMessageReader.readEntry;
import static dev.sluice.runtime.tensorflow.ProtobufMessageReader.readMessage;
import static dev.sluice.runtime.tensorflow.ProtobufMessageReader.readNested;

import com.google.protobuf.CodedInputStream;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/*
 * What is looked at
 *
 * The graph of a SavedModel has operations that change variables in any case: those that restore them. So those count
 * that a run reaches: from the outputs of the signatures backwards, by inputs and control inputs, and into the functions
 * that operations call. Names are kept of nodes, no constants.
 */

/**
 * Finds out whether a run of a graph may change a variable, or another thing that outlives the run,
 * such as a table, a queue or a generator of random numbers.
 */
final class ChangedVariables {
  /** Operations that change what outlives a run, or may do so. */
  private static final Pattern CHANGES =
      Pattern.compile(
          "Assign|Resource(?!Gather)|Scatter(?!Nd$|NdNonAliasing)|(Sparse)?Apply|CountUpTo"
              + "|LookupTable(Insert|Import|Remove)|InitializeTable|Queue|Stage|Unstage|MapStage"
              + "|MapUnstage|OrderedMap|Barrier|.*Iterator|Rng|Stateful(?!PartitionedCall)"
              + "|.*PyFunc|Destroy|.*Accumulator|(?!TensorScatter).*Update");

  private static final int GRAPH = 2;
  private static final int NODE = 1;
  private static final int LIBRARY = 2;
  private static final int FUNCTION = 1;
  private static final int FUNCTION_SIGNATURE = 1;
  private static final int FUNCTION_NODE = 3;

  /** A node of the graph, or all nodes of a function. */
  private static final class Part {
    private String name = "";
    private boolean changes;
    private final List<String> inputs = new ArrayList<>(2);
    private final List<String> functions = new ArrayList<>(0);
  }

  private final Map<String, Part> nodes = new HashMap<>();
  private final Map<String, Part> functions = new HashMap<>();

  private ChangedVariables() {}

  /**
   * Returns whether a run for one of these outputs may change what another run reads.
   *
   * @param metaGraph a serialized MetaGraphDef; read and not kept
   * @param outputs as the graph calls them
   */
  static boolean areIn(ByteBuffer metaGraph, Collection<String> outputs) {
    var found = new ChangedVariables();
    try {
      readMessage(
          CodedInputStream.newInstance(metaGraph),
          (field, in) -> field == GRAPH && read(in, found::readGraph));
    } catch (IOException e) {
      throw new InferenceException(
          ErrorCode.INTERNAL, "the graph cannot be read: " + e.getMessage(), e);
    }
    return found.isReached(outputs);
  }

  private static boolean read(CodedInputStream in, ProtobufMessageReader.Nested nested)
      throws IOException {
    readNested(in, nested);
    return true;
  }

  private void readGraph(CodedInputStream graph) throws IOException {
    readMessage(
        graph,
        (field, in) ->
            switch (field) {
              case NODE ->
                  read(
                      in,
                      message -> {
                        var node = new Part();
                        readNode(message, node);
                        nodes.put(node.name, node);
                      });
              case LIBRARY ->
                  read(
                      in,
                      library ->
                          readMessage(
                              library,
                              (of, function) ->
                                  of == FUNCTION && read(function, this::readFunction)));
              default -> false;
            });
  }

  private void readFunction(CodedInputStream message) throws IOException {
    var function = new Part();
    var name = new String[] {""};
    readMessage(
        message,
        (field, in) ->
            switch (field) {
              case FUNCTION_SIGNATURE -> read(in, signature -> name[0] = readName(signature));
              case FUNCTION_NODE -> read(in, node -> readNode(node, function));
              default -> false;
            });
    function.inputs.clear();
    functions.put(name[0], function);
  }

  private static void readNode(CodedInputStream message, Part part) throws IOException {
    readMessage(
        message,
        (field, in) -> {
          switch (field) {
            case 1 -> part.name = in.readString();
            case 2 -> {
              // An operation may be the name of a function.
              String operation = in.readString();
              part.functions.add(operation);
              part.changes |= CHANGES.matcher(operation).lookingAt();
            }
            case 3 -> part.inputs.add(node(in.readString()));
            case 5 -> readEntry(in, (_, value) -> readAttribute(value, part));
            default -> {
              return false;
            }
          }
          return true;
        });
  }

  private static void readAttribute(CodedInputStream attribute, Part part) throws IOException {
    readMessage(
        attribute,
        (field, in) ->
            switch (field) {
              case 10 -> read(in, function -> part.functions.add(readName(function)));
              case 1 ->
                  read(
                      in,
                      list ->
                          readMessage(
                              list,
                              (of, each) ->
                                  of == 9
                                      && read(
                                          each,
                                          function -> part.functions.add(readName(function)))));
              default -> false;
            });
  }

  /** Reads the name in field 1 of a message, and skips the rest. */
  private static String readName(CodedInputStream message) throws IOException {
    var name = new String[] {""};
    readMessage(
        message,
        (field, in) -> {
          if (field == 1) {
            name[0] = in.readString();
          }
          return field == 1;
        });
    return name[0];
  }

  /** Returns the node of an input, a control input or an output: {@code x:0}, {@code ^x}. */
  private static String node(String tensor) {
    int begin = tensor.startsWith("^") ? 1 : 0;
    int end = tensor.indexOf(':');
    return tensor.substring(begin, end < 0 ? tensor.length() : end);
  }

  private boolean isReached(Collection<String> outputs) {
    Deque<Part> left = new ArrayDeque<>();
    Set<Part> seen = new HashSet<>();
    outputs.forEach(output -> reach(nodes.get(node(output)), left, seen));
    while (!left.isEmpty()) {
      Part part = left.pop();
      if (part.changes) {
        return true;
      }
      part.inputs.forEach(input -> reach(nodes.get(input), left, seen));
      part.functions.forEach(function -> reach(functions.get(function), left, seen));
    }
    return false;
  }

  private static void reach(@Nullable Part part, Deque<Part> left, Set<Part> seen) {
    if (part != null && seen.add(part)) {
      left.push(part);
    }
  }
}
