package dev.sluice.runtime.onnx;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.NativeMemory;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Asks a session what its model declares. */
final class OnnxMetadataReader {
  private static final int TENSOR = 1;

  private final long session;
  private final Arena arena;
  private final MemorySegment out;

  private OnnxMetadataReader(long session, Arena arena) {
    this.session = session;
    this.arena = arena;
    this.out = arena.allocate(JAVA_LONG);
  }

  /**
   * @throws InferenceException with UNIMPLEMENTED if the model cannot run without an input that no
   *     protocol carries
   */
  static ModelMetadata read(long session) {
    try (Arena arena = Arena.ofConfined()) {
      return new OnnxMetadataReader(session, arena).read();
    }
  }

  private ModelMetadata read() {
    List<TensorSpec> inputs = specs(OrtDeclarations.INPUTS);
    inputs.forEach(OnnxMetadataReader::checkSupported);
    inputs.addAll(specs(OrtDeclarations.OPTIONAL_INPUTS));
    var signature =
        new Signature(
            Signature.DEFAULT,
            "tensorflow/serving/predict",
            inputs,
            specs(OrtDeclarations.OUTPUTS));
    return new ModelMetadata("onnxruntime_onnx", Map.of(signature.name(), signature), true, 0);
  }

  private static void checkSupported(TensorSpec input) {
    if (input.type() == DataType.UNSUPPORTED) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "input '"
              + input.name()
              + "' is of type "
              + input.nativeType()
              + ", which no protocol here can send");
    }
  }

  private List<TensorSpec> specs(OrtDeclarations kind) {
    kind.getCount(session, out.address());
    long count = outWord();
    var specs = new ArrayList<TensorSpec>();
    for (long i = 0; i < count; i++) {
      specs.add(spec(kind, i));
    }
    return specs;
  }

  private TensorSpec spec(OrtDeclarations kind, long index) {
    String name = name(kind, index);
    boolean optional = kind.equals(OrtDeclarations.OPTIONAL_INPUTS);
    kind.getTypeInfo(session, index, out.address());
    long typeInfo = outWord();
    try {
      return spec(name, optional, typeInfo);
    } finally {
      OrtApi.releaseTypeInfo(typeInfo);
    }
  }

  private String name(OrtDeclarations kind, long index) {
    kind.getName(session, index, OrtEnvironment.ALLOCATOR, out.address());
    long address = outWord();
    String name = NativeMemory.getText(address);
    OrtApi.allocatorFree(OrtEnvironment.ALLOCATOR, address);
    return name;
  }

  private TensorSpec spec(String name, boolean optional, long typeInfo) {
    OrtApi.getOnnxTypeFromTypeInfo(typeInfo, out.address());
    int kind = out.get(JAVA_INT, 0);
    if (kind != TENSOR) {
      return new TensorSpec(
          name, DataType.UNSUPPORTED, Shape.UNKNOWN, optional, name, OnnxTypes.kindName(kind));
    }
    OrtApi.castTypeInfoToTensorInfo(typeInfo, out.address());
    long tensorInfo = outWord();
    OrtApi.getTensorElementType(tensorInfo, out.address());
    int type = out.get(JAVA_INT, 0);
    return new TensorSpec(
        name, OnnxTypes.type(type), shape(tensorInfo), optional, name, OnnxTypes.nativeName(type));
  }

  private Shape shape(long tensorInfo) {
    if (!OrtApi.hasShape(tensorInfo)) {
      return Shape.UNKNOWN;
    }
    OrtApi.getDimensionsCount(tensorInfo, out.address());
    long rank = outWord();
    MemorySegment dims = arena.allocate(JAVA_LONG, rank);
    OrtApi.getDimensions(tensorInfo, dims.address(), rank);
    return Shape.of(dims.toArray(JAVA_LONG));
  }

  private long outWord() {
    return out.get(JAVA_LONG, 0);
  }
}
