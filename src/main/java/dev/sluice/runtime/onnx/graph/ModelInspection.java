package dev.sluice.runtime.onnx.graph;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.onnx.graph.GraphNodes.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Looks a model file over for Scan operators whose body returns one of its inputs as it is. ONNX
 * Runtime leaves that output of the operator unwritten: it holds whatever an earlier run left in
 * the same memory. An Identity in between makes it right. Also finds the outputs that the operator
 * that computes them writes as a whole, and whether shapes alone say how long a run takes.
 *
 * <p>Reads the fields of ONNX's ModelProto that lead to operators, and skips all others, weights
 * among them.
 */
public final class ModelInspection {
  private static final int GRAPH = 7 << 3 | 2;
  private static final int FUNCTIONS = 25 << 3 | 2;
  private static final int FUNCTION_NODE = 7 << 3 | 2;
  private static final int NODE = 1 << 3 | 2;
  private static final int CONSTANT = 5 << 3 | 2;
  private static final int CONSTANT_NAME = 8 << 3 | 2;
  private static final int INPUT = 11 << 3 | 2;
  private static final int OUTPUT = 12 << 3 | 2;
  private static final int VALUE_NAME = 1 << 3 | 2;
  private static final int NODE_INPUT = 1 << 3 | 2;
  private static final int NODE_OUTPUT = 2 << 3 | 2;
  private static final int NODE_NAME = 3 << 3 | 2;
  private static final int OPERATOR = 4 << 3 | 2;
  private static final int DOMAIN = 7 << 3 | 2;
  private static final int ATTRIBUTE = 5 << 3 | 2;
  private static final int SUBGRAPH = 6 << 3 | 2;
  private static final int SUBGRAPHS = 11 << 3 | 2;

  /** Deeper than the runtime itself reads. */
  private static final int MOST_NESTED = 100;

  /** Depth of the graph whose operators are the model's own: its values are the model's outputs. */
  private static final int NODE_OF_MODEL = 1;

  private final CodedInputStream in;
  private final Set<String> whole = new HashSet<>();
  private final GraphNodes nodes = new GraphNodes();
  private boolean hasFunctions;
  private int depth;

  private ModelInspection(CodedInputStream in) {
    this.in = in;
  }

  /** Reads one field, of which the tag was read. */
  private interface FieldReader {
    /** Reads the value of a field, whose tag was read. */
    void read(int tag) throws IOException;
  }

  /** The inputs and outputs of a graph, by name. */
  private record Body(Set<String> inputs, List<String> outputs) {}

  /**
   * Checks a model. A file that is no model passes: the runtime says better what is wrong with it.
   *
   * @throws InferenceException with FAILED_PRECONDITION if the model has such an operator
   */
  public static GraphFacts check(Path file) {
    try (InputStream bytes = Files.newInputStream(file)) {
      var inspection = new ModelInspection(CodedInputStream.newInstance(bytes));
      inspection.readModel();
      return inspection.hasFunctions
          ? GraphFacts.NONE
          : new GraphFacts(inspection.whole, inspection.nodes.areShapeBound());
    } catch (IOException _) {
      return GraphFacts.NONE; // Not a model.
    }
  }

  private void readModel() throws IOException {
    readFields(tag -> {
      switch (tag) {
        case GRAPH -> readGraph();
        case FUNCTIONS -> {
          hasFunctions = true;
          readMessage(field -> {
            if (field == FUNCTION_NODE) {
              readNode();
            } else {
              in.skipField(field);
            }
          });
        }
        default -> in.skipField(tag);
      }
    });
  }

  private Body readGraph() throws IOException {
    var body = new Body(new HashSet<>(), new ArrayList<>());
    readMessage(tag -> {
      switch (tag) {
        case NODE -> readNode();
        case CONSTANT -> addConstant(readName(CONSTANT_NAME));
        case INPUT -> body.inputs.add(readName(VALUE_NAME));
        case OUTPUT -> body.outputs.add(readName(VALUE_NAME));
        default -> in.skipField(tag);
      }
    });
    if (depth == 0) {
      body.inputs.forEach(nodes::addInput);
    }
    return body;
  }

  private void addConstant(String name) {
    if (depth == NODE_OF_MODEL) {
      nodes.addConstant(name);
    }
  }

  private String readName(int field) throws IOException {
    var name = new StringBuilder();
    readMessage(tag -> {
      if (tag == field) {
        name.append(in.readString());
      } else {
        in.skipField(tag);
      }
    });
    return name.toString();
  }

  private void readNode() throws IOException {
    var names = new ArrayList<String>();
    var inputs = new ArrayList<String>();
    var outputs = new ArrayList<String>();
    var operators = new ArrayList<String>();
    var domains = new ArrayList<String>();
    var bodies = new ArrayList<Body>();
    readMessage(tag -> {
      switch (tag) {
        case NODE_INPUT -> inputs.add(in.readString());
        case NODE_OUTPUT -> outputs.add(in.readString());
        case NODE_NAME -> names.add(in.readString());
        case OPERATOR -> operators.add(in.readString());
        case DOMAIN -> domains.add(in.readString());
        case ATTRIBUTE -> readAttribute(bodies);
        default -> in.skipField(tag);
      }
    });
    if (depth == NODE_OF_MODEL) {
      add(new Node(String.join("", domains), String.join("", operators), inputs, outputs));
    }
    if (operators.contains("Scan")) {
      bodies.forEach(body -> checkScan(String.join("", names), outputs, body));
    }
  }

  private void add(Node node) {
    nodes.add(node);
    if (!node.outputs().isEmpty() && FullyWritingOperators.writes(node.domain(), node.operator())) {
      whole.add(node.outputs().getFirst());
    }
  }

  /** Adds the graphs that an attribute holds. */
  private void readAttribute(List<Body> bodies) throws IOException {
    readMessage(field -> {
      if (field == SUBGRAPH || field == SUBGRAPHS) {
        bodies.add(readGraph());
      } else {
        in.skipField(field);
      }
    });
  }

  private static void checkScan(String name, List<String> outputs, Body body) {
    for (int i = 0; i < Math.min(outputs.size(), body.outputs.size()); i++) {
      if (body.inputs.contains(body.outputs.get(i))) {
        throw new InferenceException(
            ErrorCode.FAILED_PRECONDITION,
            "the body of Scan '%s' returns its input '%s' as it is, and ONNX Runtime leaves output"
                    .formatted(name, body.outputs.get(i))
                + " '%s' unwritten; put an Identity between them".formatted(outputs.get(i)));
      }
    }
  }

  private void readMessage(FieldReader reader) throws IOException {
    if (++depth > MOST_NESTED) {
      throw new IOException("nested too deeply");
    }
    int outer = in.pushLimit(in.readRawVarint32());
    readFields(reader);
    in.popLimit(outer);
    depth--;
  }

  private void readFields(FieldReader reader) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_END_GROUP) {
        throw new IOException("a group ends that has not begun");
      }
      reader.read(tag);
    }
  }
}
