package dev.sluice.protocol.oip.grpc;

import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.oip.DataTypes;
import dev.sluice.protocol.oip.Dimensions;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One input as a request's message gives it: its contents are found and left where they are.
 *
 * @param head its name, type and shape
 * @param contents the bytes of its typed contents; usually one message, none if the field is not
 *     set, more if it was sent in pieces, which protobuf allows
 * @param place where its values lie, if that is shared memory
 */
record WireInput(InputHead head, List<Body> contents, @Nullable SharedMemoryParameters place) {
  /** Reads one {@code InferInputTensor}. */
  static WireInput read(Body message) {
    var in = new ProtobufReader(message);
    var dimensions = new Dimensions();
    List<Body> contents = new ArrayList<>(1);
    SharedMemoryParameters.@Nullable Reader shared = null;
    String name = "";
    String datatype = "";
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      switch (tag) {
        case InferMessageTags.NAME -> name = in.text();
        case InferMessageTags.DATATYPE -> datatype = in.text();
        case InferMessageTags.SHAPE_PACKED -> readPacked(in, dimensions);
        case InferMessageTags.SHAPE -> dimensions.add(in.varint());
        case InferMessageTags.TENSOR_PARAMETERS -> {
          shared = shared == null ? new SharedMemoryParameters.Reader() : shared;
          WireParameter.read(in.bytes()).putInto(shared);
        }
        case InferMessageTags.CONTENTS -> contents.add(in.bytes());
        default -> in.skip(tag);
      }
    }
    var head = new InputHead(name, DataTypes.of(datatype, name), dimensions.toShape());
    return new WireInput(head, contents, shared == null ? null : shared.place());
  }

  private static void readPacked(ProtobufReader in, Dimensions dimensions) {
    long outer = in.enter();
    while (!in.atEnd()) {
      dimensions.add(in.varint());
    }
    in.leave(outer);
  }
}
