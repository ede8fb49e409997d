package dev.sluice.protocol.grps.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED32;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.FIXED64;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.codec.protobuf.ProtobufTag;
import dev.sluice.protocol.grps.ElementConversion;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;

/**
 * Reads the values of one GenericTensor into a tensor's memory: the list that belongs to its type,
 * packed or not, in one piece or several. 32-bit and 64-bit floats lie on the wire as they lie in
 * memory and are copied as they are.
 */
record WireValues(GrpsType type, TensorSpec input, TensorBuilder elements) {
  void read(Body tensor) {
    var in = new ProtobufReader(tensor);
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (ProtobufTag.field(tag) != type.listField()) {
        in.skip(tag);
      } else if (ProtobufTag.form(tag) == DELIMITED) {
        readRun(in);
      } else if (ProtobufTag.form(tag) == unpackedWireType()) {
        readOne(in);
      } else {
        in.skip(tag);
      }
    }
  }

  /** Returns how one value is written alone; -1 if that is no different from a run. */
  private int unpackedWireType() {
    return switch (type.kind()) {
      case INTEGER -> VARINT;
      case SINGLE -> FIXED32;
      case DOUBLE -> FIXED64;
      case TEXT -> -1;
    };
  }

  private void readRun(ProtobufReader in) {
    if (type == GrpsType.STRING) {
      Body run = in.bytes();
      WireMessage.requireUtf8(run);
      elements.putBytes(run.segment(), 0, run.length());
    } else if (lieAsInMemory(type, input)) {
      copy(in.bytes());
    } else {
      long outer = in.enter();
      while (!in.atEnd()) {
        readOne(in);
      }
      in.leave(outer);
    }
  }

  /** Returns whether packed values of a type lie on the wire as they do in the input's tensor. */
  static boolean lieAsInMemory(GrpsType type, TensorSpec input) {
    return (type == GrpsType.FLOAT32 && input.type() == DataType.FP32) || type == GrpsType.FLOAT64;
  }

  private void copy(Body run) {
    int size = elements.type().byteSize();
    if (run.length() % size != 0) {
      throw new ProtobufException("a packed list ends within a value");
    }
    elements.putRaw(run.segment(), 0, run.length(), run.length() / size);
  }

  private void readOne(ProtobufReader in) {
    switch (type) {
      case UINT8 -> put(Integer.toUnsignedLong(in.varint32()));
      case INT8, INT16, INT32 -> put(in.varint32());
      case INT64 -> put(in.varint());
      case FLOAT16, FLOAT32 -> put(Float.intBitsToFloat(in.fixed32()));
      case FLOAT64 -> put(Double.longBitsToDouble(in.fixed64()));
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
