package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.tfs.grpc.proto.ExampleListWithContext;
import dev.sluice.protocol.tfs.grpc.proto.Input;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The examples of an Input message, which stay encoded and are not parsed here. A context goes
 * before each of them, which makes one message of both.
 */
public final class ExampleList {
  private static final int PLAIN = Input.EXAMPLE_LIST_FIELD_NUMBER << 3 | DELIMITED;
  private static final int WITH_CONTEXT =
      Input.EXAMPLE_LIST_WITH_CONTEXT_FIELD_NUMBER << 3 | DELIMITED;
  private static final int EXAMPLES = ExampleListWithContext.EXAMPLES_FIELD_NUMBER << 3 | DELIMITED;
  private static final int CONTEXT = ExampleListWithContext.CONTEXT_FIELD_NUMBER << 3 | DELIMITED;

  /** Bytes on the heap of each example while it is read: an empty one has two on the wire. */
  private static final int OBJECTS = 64;

  /** Examples that are charged at once. */
  private static final int CHARGED = 1024;

  private final List<Body> examples = new ArrayList<>();
  private Body context = Body.EMPTY;
  private int kind;
  private long bytes;

  /**
   * Takes the fields of one Input message. A second one is merged into the first.
   *
   * @throws dev.sluice.tensor.MemoryExhausted if there is no memory for so many examples
   */
  public void add(Body input) {
    var reader = new ProtobufReader(input);
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      if (tag == PLAIN || tag == WITH_CONTEXT) {
        choose(tag);
        addList(reader.bytes());
      } else {
        reader.skip(tag);
      }
    }
  }

  /** Of two kinds of lists, the last one counts. */
  private void choose(int tag) {
    if (kind != tag) {
      kind = tag;
      examples.clear();
      context = Body.EMPTY;
      bytes = 0;
    }
  }

  private void addList(Body list) {
    var reader = new ProtobufReader(list);
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      if (tag == EXAMPLES) {
        Body example = reader.bytes();
        if (examples.size() % CHARGED == CHARGED - 1) {
          MemoryAccount.chargeCurrent(MemoryBudget.Kind.INFLATED, CHARGED * OBJECTS);
        }
        examples.add(example);
        bytes += example.length();
      } else if (tag == CONTEXT && kind == WITH_CONTEXT) {
        context = reader.bytes();
      } else {
        reader.skip(tag);
      }
    }
  }

  /** Returns how many examples there are. */
  public int count() {
    return examples.size();
  }

  /**
   * Returns the serialised examples as a BYTES vector.
   *
   * @param mostContext bytes that the context may take in all of them together
   * @throws InferenceException with INVALID_ARGUMENT if there is none, or the context takes more
   */
  public Tensor toTensor(long mostContext) {
    if (examples.isEmpty()) {
      throw InferenceException.invalid("Input is empty.");
    }
    long repeated = (long) context.length() * count();
    if (repeated > mostContext) {
      throw InferenceException.invalid(
          "the context of %d bytes is repeated in %d examples, at most %d bytes may be"
              .formatted(context.length(), count(), mostContext));
    }
    long size = bytes + repeated + BytesElements.LENGTH.byteSize() * count();
    MemorySegment before = context.segment();
    try (var out = new TensorBuilder(DataType.BYTES, size)) {
      for (Body example : examples) {
        out.putBytes(before, example.segment());
      }
      return out.build(Shape.of(count()));
    }
  }
}
