package dev.sluice.runtime.isolation;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Encodes and decodes model metadata in messages. */
final class SignatureCodec {
  private SignatureCodec() {}

  /** Writes what a runtime reads from a model: what settings add is not there yet. */
  static void write(ModelMetadata metadata, ProcessMessageWriter out) {
    out.putText(metadata.platform()).putFlag(metadata.shapesBind()).putInt(metadata.maxBatchSize());
    out.putFlag(metadata.methodsBind());
    out.putInt(metadata.signatures().size());
    metadata
        .signatures()
        .forEach((name, signature) -> {
          out.putText(name);
          write(signature, out);
        });
  }

  static ModelMetadata readMetadata(ProcessMessageReader in) {
    String platform = in.text();
    boolean shapesBind = in.flag();
    int maxBatchSize = in.integer();
    boolean methodsBind = in.flag();
    Map<String, Signature> signatures = new LinkedHashMap<>();
    int count = in.integer();
    for (int i = 0; i < count; i++) {
      signatures.put(in.text(), read(in));
    }
    return new ModelMetadata(platform, signatures, shapesBind, maxBatchSize)
        .withMethodsBinding(methodsBind);
  }

  static void write(Signature signature, ProcessMessageWriter out) {
    out.putText(signature.name()).putText(signature.method());
    write(signature.inputs(), out);
    write(signature.outputs(), out);
    out.putInt(signature.defaults().size());
    signature
        .defaults()
        .forEach((name, value) -> {
          ByteBuffer content = value.duplicate();
          byte[] bytes = new byte[content.remaining()];
          content.get(bytes);
          out.putText(name).putBytes(bytes);
        });
  }

  static Signature read(ProcessMessageReader in) {
    String name = in.text();
    String method = in.text();
    List<TensorSpec> inputs = readSpecs(in);
    List<TensorSpec> outputs = readSpecs(in);
    Map<String, ByteBuffer> defaults = new LinkedHashMap<>();
    int count = in.integer();
    for (int i = 0; i < count; i++) {
      defaults.put(in.text(), ByteBuffer.wrap(in.bytes()).asReadOnlyBuffer());
    }
    return new Signature(name, method, inputs, outputs, defaults);
  }

  private static void write(List<TensorSpec> specs, ProcessMessageWriter out) {
    out.putInt(specs.size());
    for (TensorSpec spec : specs) {
      out.putText(spec.name()).putText(spec.type().name()).putShape(spec.shape());
      out.putFlag(spec.optional()).putText(spec.nativeName()).putText(spec.nativeType());
      out.putInt(spec.dimensionNames().size());
      spec.dimensionNames().forEach(out::putText);
    }
  }

  private static List<TensorSpec> readSpecs(ProcessMessageReader in) {
    List<TensorSpec> specs = new ArrayList<>();
    int count = in.integer();
    for (int i = 0; i < count; i++) {
      String name = in.text();
      DataType type = DataType.valueOf(in.text());
      Shape shape = in.shape();
      boolean optional = in.flag();
      String nativeName = in.text();
      String nativeType = in.text();
      List<String> dimensions = new ArrayList<>();
      int names = in.integer();
      for (int k = 0; k < names; k++) {
        dimensions.add(in.text());
      }
      specs.add(new TensorSpec(name, type, shape, optional, nativeName, nativeType, dimensions));
    }
    return specs;
  }
}
