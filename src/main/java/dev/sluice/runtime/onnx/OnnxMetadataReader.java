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
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Asks a session what its model declares. */
final class OnnxMetadataReader {
  private static final int TENSOR = 1;
  private static final int SEQUENCE = 2;
  private static final int MAP = 3;

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
      specs.addAll(specs(kind, i));
    }
    return specs;
  }

  /** One, or the two halves of an output of maps. */
  private List<TensorSpec> specs(OrtDeclarations kind, long index) {
    String name = name(kind, index);
    boolean optional = kind.equals(OrtDeclarations.OPTIONAL_INPUTS);
    kind.getTypeInfo(session, index, out.address());
    long typeInfo = outWord();
    try {
      int key = kind.equals(OrtDeclarations.OUTPUTS) ? scoreMapKey(typeInfo) : 0;
      return key == 0 ? List.of(spec(name, optional, typeInfo)) : ScoreMaps.specs(name, key);
    } finally {
      OrtApi.releaseTypeInfo(typeInfo);
    }
  }

  /**
   * Returns the type of the keys if the type is a list of maps to floats; else 0, which is no type.
   */
  private int scoreMapKey(long typeInfo) {
    if (kind(typeInfo) != SEQUENCE) {
      return 0;
    }
    OrtCollections.castTypeInfoToSequence(typeInfo, out.address());
    OrtCollections.getSequenceElementType(outWord(), out.address());
    long element = outWord();
    try {
      return kind(element) == MAP ? keyOfFloats(element) : 0;
    } finally {
      OrtApi.releaseTypeInfo(element);
    }
  }

  private int keyOfFloats(long mapTypeInfo) {
    OrtCollections.castTypeInfoToMap(mapTypeInfo, out.address());
    long map = outWord();
    OrtCollections.getMapValueType(map, out.address());
    long value = outWord();
    try {
      if (kind(value) != TENSOR || elementType(value) != OnnxTypes.number(DataType.FP32)) {
        return 0;
      }
    } finally {
      OrtApi.releaseTypeInfo(value);
    }
    OrtCollections.getMapKeyType(map, out.address());
    return out.get(JAVA_INT, 0);
  }

  private int elementType(long typeInfo) {
    OrtApi.castTypeInfoToTensorInfo(typeInfo, out.address());
    OrtApi.getTensorElementType(outWord(), out.address());
    return out.get(JAVA_INT, 0);
  }

  private int kind(long typeInfo) {
    OrtApi.getOnnxTypeFromTypeInfo(typeInfo, out.address());
    return out.get(JAVA_INT, 0);
  }

  private String name(OrtDeclarations kind, long index) {
    kind.getName(session, index, OrtEnvironment.ALLOCATOR, out.address());
    long address = outWord();
    String name = NativeMemory.getText(address);
    OrtApi.allocatorFree(OrtEnvironment.ALLOCATOR, address);
    return name;
  }

  private TensorSpec spec(String name, boolean optional, long typeInfo) {
    int kind = kind(typeInfo);
    if (kind != TENSOR) {
      return new TensorSpec(
          name, DataType.UNSUPPORTED, Shape.UNKNOWN, optional, name, OnnxTypes.kindName(kind));
    }
    int type = elementType(typeInfo);
    OrtApi.castTypeInfoToTensorInfo(typeInfo, out.address());
    long tensorInfo = outWord();
    return new TensorSpec(
        name,
        OnnxTypes.type(type),
        shape(tensorInfo),
        optional,
        name,
        OnnxTypes.nativeName(type),
        dimensionNames(tensorInfo));
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

  private List<String> dimensionNames(long tensorInfo) {
    if (!OrtApi.hasShape(tensorInfo)) {
      return List.of();
    }
    OrtApi.getDimensionsCount(tensorInfo, out.address());
    long rank = outWord();
    MemorySegment names = arena.allocate(JAVA_LONG, rank);
    OrtApi.getSymbolicDimensions(tensorInfo, names.address(), rank);
    return Arrays.stream(names.toArray(JAVA_LONG)).mapToObj(NativeMemory::getText).toList();
  }

  private long outWord() {
    return out.get(JAVA_LONG, 0);
  }
}
