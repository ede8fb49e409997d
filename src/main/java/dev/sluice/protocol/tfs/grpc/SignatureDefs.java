package dev.sluice.protocol.tfs.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sluice.inference.CompositeTensor;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.tfs.grpc.proto.SignatureDef;
import dev.sluice.protocol.tfs.grpc.proto.SignatureDefMap;
import dev.sluice.protocol.tfs.grpc.proto.TensorInfo;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.protocol.tfs.grpc.wire.DeclaredType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes a model's signatures as TensorFlow's own SignatureDefs. */
final class SignatureDefs {
  private SignatureDefs() {}

  static SignatureDefMap of(ModelMetadata model) {
    var map = SignatureDefMap.newBuilder();
    model.signatures().forEach((name, signature) -> map.putSignatureDef(name, of(signature)));
    return map.build();
  }

  private static SignatureDef of(Signature signature) {
    var def = SignatureDef.newBuilder().setMethodName(signature.method());
    def.putAllInputs(infos(signature.inputs(), signature.compositeInputs()));
    def.putAllOutputs(infos(signature.outputs(), signature.compositeOutputs()));
    signature.defaults().forEach((name, value) -> def.putDefaults(name, tensor(value)));
    return def.build();
  }

  /**
   * Returns the declared tensors; one of several components is declared as the model declares it,
   * not by its components.
   */
  private static Map<String, TensorInfo> infos(
      List<TensorSpec> specs, Map<String, CompositeTensor> composites) {
    Map<String, TensorInfo> infos = new LinkedHashMap<>();
    specs.forEach(spec -> infos.put(spec.name(), of(spec)));
    composites.forEach((name, composite) -> {
      composite.components().forEach(infos::remove);
      infos.put(name, declared(composite));
    });
    return infos;
  }

  private static TensorInfo declared(CompositeTensor composite) {
    try {
      return TensorInfo.parseFrom(composite.declaration().duplicate());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the runtime took what is no TensorInfo", e);
    }
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
