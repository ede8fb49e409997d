package dev.sluice.protocol.grps.grpc;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.ElementConversion;
import dev.sluice.protocol.grps.MapKind;
import dev.sluice.protocol.grps.ResponseForm;
import dev.sluice.protocol.grps.grpc.proto.GenericMapData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.transport.Buffers;
import io.vertx.core.buffer.Buffer;

/** Writes tensors of one element as a gmap: a few small values, by the generated classes. */
final class GmapWriter {
  private GmapWriter() {}

  static Buffer write(byte[] head, ResponseForm.Entries entries) {
    var map = GenericMapData.newBuilder();
    for (ResponseForm.Entry entry : entries.entries()) {
      put(entry.kind(), entry.value(), map);
    }
    GrpsMessage message = GrpsMessage.newBuilder().setGmap(map).build();
    return Buffers.join(Buffers.wrap(head), Buffers.wrap(message.toByteArray()));
  }

  private static void put(MapKind kind, NamedTensor entry, GenericMapData.Builder map) {
    String name = entry.name();
    switch (kind) {
      case TEXT -> map.putSS(name, bytes(entry).toStringUtf8());
      case BYTES -> map.putSB(name, bytes(entry));
      case INT32 -> map.putSI32(name, (int) ElementConversion.integer(entry.tensor(), 0));
      case INT64 -> map.putSI64(name, ElementConversion.int64(entry, 0));
      case SINGLE -> map.putSF(name, ElementConversion.single(entry.tensor(), 0));
      case DOUBLE -> map.putSD(name, ElementConversion.wide(entry.tensor(), 0));
    }
  }

  private static ByteString bytes(NamedTensor entry) {
    var element = new BytesElements(entry.tensor());
    element.next();
    return ByteString.copyFrom(element.toArray());
  }
}
