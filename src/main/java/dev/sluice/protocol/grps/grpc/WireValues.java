package dev.sluice.protocol.grps.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.grps.ElementConversion;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Reads the values of one GenericTensor into a tensor's memory: the list that belongs to its type,
 * packed or not, in one piece or several. 32-bit and 64-bit floats lie on the wire as they lie in
 * memory and are copied as they are.
 */
final class WireValues {
  private final GrpsType type;
  private final TensorSpec input;
  private final TensorBuilder elements;

  WireValues(GrpsType type, TensorSpec input, TensorBuilder elements) {
    this.type = type;
    this.input = input;
    this.elements = elements;
  }

  void read(Body tensor) throws IOException {
    CodedInputStream in = GrpsWire.open(tensor);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) != type.listField()) {
        in.skipField(tag);
      } else if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        readRun(GrpsWire.slice(in, tensor));
      } else if (WireFormat.getTagWireType(tag) == unpackedWireType()) {
        readOne(in);
      } else {
        in.skipField(tag);
      }
    }
  }

  /** Returns how one value is written alone; -1 if that is no different from a run. */
  private int unpackedWireType() {
    return switch (type.kind()) {
      case INTEGER -> WireFormat.WIRETYPE_VARINT;
      case SINGLE -> WireFormat.WIRETYPE_FIXED32;
      case DOUBLE -> WireFormat.WIRETYPE_FIXED64;
      case TEXT -> -1;
    };
  }

  private void readRun(Body run) throws IOException {
    if (type == GrpsType.STRING) {
      GrpsWire.requireUtf8(run);
      elements.putBytes(run.bytes(), run.offset(), run.length());
    } else if (liesAsInMemory()) {
      copy(run);
    } else {
      CodedInputStream in = GrpsWire.open(run);
      while (!in.isAtEnd()) {
        readOne(in);
      }
    }
  }

  private boolean liesAsInMemory() {
    return (type == GrpsType.FLOAT32 && input.type() == DataType.FP32) || type == GrpsType.FLOAT64;
  }

  private void copy(Body run) throws IOException {
    int size = elements.type().byteSize();
    if (run.length() % size != 0) {
      throw new InvalidProtocolBufferException("a packed list ends within a value");
    }
    elements.putRaw(
        MemorySegment.ofArray(run.bytes()), run.offset(), run.length(), run.length() / size);
  }

  private void readOne(CodedInputStream in) throws IOException {
    switch (type) {
      case UINT8 -> put(Integer.toUnsignedLong(in.readUInt32()));
      case INT8, INT16, INT32 -> put(in.readInt32());
      case INT64 -> put(in.readInt64());
      case FLOAT16, FLOAT32 -> put(in.readFloat());
      case FLOAT64 -> put(in.readDouble());
      case STRING -> throw new IllegalStateException("text has no form of its own");
    }
  }

  private void put(long value) {
    if (!ElementConversion.put(elements, value)) {
      throw misfit(Long.toString(value));
    }
  }

  private void put(double value) {
    if (!ElementConversion.put(elements, value)) {
      throw misfit(Double.toString(value));
    }
  }

  private InferenceException misfit(String got) {
    return InferenceException.invalid(
        "%s[%d] of %s: got %s, wanted %s"
            .formatted(
                type.list(),
                elements.elements(),
                RequestInputs.label(input),
                got,
                ElementConversion.wanted(input.type())));
  }
}
