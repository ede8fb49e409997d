package dev.sluice.protocol.oip.grpc;

import com.google.protobuf.CodedInputStream;
import dev.sluice.protocol.oip.DataTypes;
import dev.sluice.protocol.oip.Dimensions;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.transport.Body;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads one {@code InferInputTensor}; its contents are found and left where they are. */
final class WireInputReader {
  private final Body message;
  private final CodedInputStream in;
  private final Dimensions dimensions = new Dimensions();
  private final List<Body> contents = new ArrayList<>(1);
  private final SharedMemoryParameters.Reader shared = new SharedMemoryParameters.Reader();
  private String name = "";
  private String datatype = "";

  WireInputReader(Body message) {
    this.message = message;
    this.in = InferMessageTags.open(message);
  }

  WireInput read() throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      field(tag);
    }
    var head = new InputHead(name, DataTypes.of(datatype, name), dimensions.toShape());
    return new WireInput(head, contents, shared.place());
  }

  private void field(int tag) throws IOException {
    switch (tag) {
      case InferMessageTags.NAME -> name = in.readStringRequireUtf8();
      case InferMessageTags.DATATYPE -> datatype = in.readStringRequireUtf8();
      case InferMessageTags.SHAPE_PACKED -> packedShape();
      case InferMessageTags.SHAPE -> dimensions.add(in.readInt64());
      case InferMessageTags.TENSOR_PARAMETERS ->
          WireParameter.read(InferMessageTags.slice(in, message)).putInto(shared);
      case InferMessageTags.CONTENTS -> contents.add(InferMessageTags.slice(in, message));
      default -> InferMessageTags.skip(in, tag);
    }
  }

  private void packedShape() throws IOException {
    int limit = in.pushLimit(in.readRawVarint32());
    while (in.getBytesUntilLimit() > 0) {
      dimensions.add(in.readInt64());
    }
    in.popLimit(limit);
  }
}
