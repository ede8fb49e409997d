package dev.sluice.protocol.grps.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufWriter.fieldSize;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.protobuf.ProtobufWriter;
import dev.sluice.protocol.grps.DataForm;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.protocol.grps.ResponseForm;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the message that answers Predict, into one array. Borrows the outputs.
 *
 * <p>Measures first, then writes: lengths come before contents in protobuf, so the array has its
 * exact size and nothing is moved.
 */
final class GrpsMessageWriter {
  /** Every successful answer begins with this. */
  private static final byte[] SUCCESS = GrpsMessages.of(GrpsStatus.OK).toByteArray();

  private GrpsMessageWriter() {}

  static Buffer write(DataForm asked, InferenceResponse response) {
    byte[] head = head(ResponseForm.model(response));
    return switch (ResponseForm.of(asked, response)) {
      case ResponseForm.Text(Tensor tensor) ->
          bytes(head, GrpsMessage.STR_DATA_FIELD_NUMBER, tensor);
      case ResponseForm.Bytes(Tensor tensor) ->
          bytes(head, GrpsMessage.BIN_DATA_FIELD_NUMBER, tensor);
      case ResponseForm.Tensors(List<NamedTensor> tensors) -> tensors(head, tensors);
      case ResponseForm.Entries entries -> GmapWriter.write(head, entries);
      case ResponseForm.Nothing() -> Buffers.wrap(head);
    };
  }

  /** Returns the beginning of a message: the status, and the model's name if the answer says it. */
  private static byte[] head(String model) {
    return model.isEmpty()
        ? SUCCESS
        : GrpsMessages.of(GrpsStatus.OK).toBuilder().setModel(model).build().toByteArray();
  }

  private static Buffer bytes(byte[] head, int field, Tensor tensor) {
    MemorySegment source = tensor.data();
    if (tensor.type() == DataType.BYTES) {
      var element = new BytesElements(tensor);
      element.next();
      source = source.asSlice(element.offset(), element.length());
    }
    int length = Math.toIntExact(source.byteSize());
    var out = new ProtobufWriter(messageSize(head, field, length));
    out.raw(head);
    return out.bytes(field, source, 0, length).toBuffer();
  }

  private static Buffer tensors(byte[] head, List<NamedTensor> tensors) {
    var writers = new ArrayList<TensorWriter>(tensors.size());
    long length = 0;
    for (NamedTensor tensor : tensors) {
      var writer = new TensorWriter(tensor);
      writers.add(writer);
      length += fieldSize(GenericTensorData.TENSORS_FIELD_NUMBER, writer.size());
    }
    var out = new ProtobufWriter(messageSize(head, GrpsMessage.GTENSORS_FIELD_NUMBER, length));
    out.raw(head);
    out.begin(GrpsMessage.GTENSORS_FIELD_NUMBER, length);
    for (TensorWriter writer : writers) {
      out.begin(GenericTensorData.TENSORS_FIELD_NUMBER, writer.size());
      writer.write(out);
    }
    return out.toBuffer();
  }

  /** Returns the size of a message that is its head and one more field. */
  private static int messageSize(byte[] head, int field, long length) {
    long size = head.length + fieldSize(field, length);
    if (size > Integer.MAX_VALUE - 8L) {
      throw new InferenceException(
          ErrorCode.INTERNAL, "the answer has " + size + " bytes, more than a message can");
    }
    return (int) size;
  }
}
