package dev.sluice.protocol.oip.grpc;

import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.oip.DataTypes;
import dev.sluice.protocol.oip.Dimensions;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.List;

/** Reads one {@code InferInputTensor}; its contents are found and left where they are. */
final class WireInputReader {
  private final ProtobufReader in;
  private final Dimensions dimensions = new Dimensions();
  private final List<Body> contents = new ArrayList<>(1);
  private final SharedMemoryParameters.Reader shared = new SharedMemoryParameters.Reader();
  private String name = "";
  private String datatype = "";

  WireInputReader(Body message) {
    this.in = new ProtobufReader(message);
  }

  WireInput read() {
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      field(tag);
    }
    var head = new InputHead(name, DataTypes.of(datatype, name), dimensions.toShape());
    return new WireInput(head, contents, shared.place());
  }

  private void field(int tag) {
    switch (tag) {
      case InferMessageTags.NAME -> name = in.text();
      case InferMessageTags.DATATYPE -> datatype = in.text();
      case InferMessageTags.SHAPE_PACKED -> packedShape();
      case InferMessageTags.SHAPE -> dimensions.add(in.varint());
      case InferMessageTags.TENSOR_PARAMETERS -> WireParameter.read(in.bytes()).putInto(shared);
      case InferMessageTags.CONTENTS -> contents.add(in.bytes());
      default -> in.skip(tag);
    }
  }

  private void packedShape() {
    long outer = in.enter();
    while (!in.atEnd()) {
      dimensions.add(in.varint());
    }
    in.leave(outer);
  }
}
