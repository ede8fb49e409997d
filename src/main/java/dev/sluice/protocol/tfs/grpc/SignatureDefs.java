package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.tfs.grpc.proto.SignatureDef;
import dev.sluice.protocol.tfs.grpc.proto.SignatureDefMap;
import dev.sluice.protocol.tfs.grpc.proto.TensorInfo;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.nio.ByteBuffer;

/** What a model says of itself, as TensorFlow would have written it. */
final class SignatureDefs {
  private SignatureDefs() {}

  static SignatureDefMap of(ModelMetadata model) {
    var map = SignatureDefMap.newBuilder();
    model.signatures().forEach((name, signature) -> map.putSignatureDef(name, of(signature)));
    return map.build();
  }

  private static SignatureDef of(Signature signature) {
    var def = SignatureDef.newBuilder().setMethodName(signature.method());
    signature.inputs().forEach(input -> def.putInputs(input.name(), of(input)));
    signature.outputs().forEach(output -> def.putOutputs(output.name(), of(output)));
    signature.defaults().forEach((name, value) -> def.putDefaults(name, tensor(value)));
    return def.build();
  }

  private static TensorProto tensor(ByteBuffer proto) {
    try {
      return TensorProto.parseFrom(proto.duplicate());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the runtime took what is no TensorProto", e);
    }
  }

  private static TensorInfo of(TensorSpec spec) {
    return TensorInfo.newBuilder()
        .setName(spec.nativeName())
        .setDtype(DeclaredType.of(spec))
        .setTensorShape(of(spec.shape()))
        .build();
  }

  private static TensorShapeProto of(Shape shape) {
    var proto = TensorShapeProto.newBuilder().setUnknownRank(!shape.isRankKnown());
    for (long dim : shape.dims()) {
      proto.addDimBuilder().setSize(dim);
    }
    return proto.build();
  }
}
