package dev.sluice.runtime.onnx;

import static dev.sluice.runtime.NativeType.BOOL;
import static dev.sluice.runtime.NativeType.INT32;
import static dev.sluice.runtime.NativeType.POINTER;
import static dev.sluice.runtime.NativeType.SIZE;
import static dev.sluice.runtime.NativeType.VOID;

import dev.sluice.runtime.NativeFunction;
import dev.sluice.runtime.NativeMemory;
import dev.sluice.runtime.NativeSignature;
import dev.sluice.runtime.NativeType;
import java.lang.foreign.MemorySegment;

/**
 * The functions of ONNX Runtime's C interface that are used here: each one's place in the table
 * that the library gives, its name, result and parameters, in the order of {@code struct OrtApi}.
 * Places never change between versions. A test holds every line against the runtime's header.
 */
enum OrtFunction {
  GET_ERROR_CODE(1, "GetErrorCode", INT32, POINTER),
  GET_ERROR_MESSAGE(2, "GetErrorMessage", POINTER, POINTER),
  CREATE_ENV(3, "CreateEnv", POINTER, INT32, POINTER, POINTER),
  DISABLE_TELEMETRY_EVENTS(6, "DisableTelemetryEvents", POINTER, POINTER),
  CREATE_SESSION(7, "CreateSession", POINTER, POINTER, POINTER, POINTER, POINTER),
  CREATE_SESSION_FROM_ARRAY(
      8, "CreateSessionFromArray", POINTER, POINTER, POINTER, SIZE, POINTER, POINTER),
  RUN(9, "Run", POINTER, POINTER, POINTER, POINTER, POINTER, SIZE, POINTER, SIZE, POINTER),
  CREATE_SESSION_OPTIONS(10, "CreateSessionOptions", POINTER, POINTER),
  SET_SESSION_EXECUTION_MODE(13, "SetSessionExecutionMode", POINTER, POINTER, INT32),
  DISABLE_MEM_PATTERN(17, "DisableMemPattern", POINTER, POINTER),
  DISABLE_CPU_MEM_ARENA(19, "DisableCpuMemArena", POINTER, POINTER),
  SET_SESSION_LOG_SEVERITY_LEVEL(22, "SetSessionLogSeverityLevel", POINTER, POINTER, INT32),
  SET_SESSION_GRAPH_OPTIMIZATION_LEVEL(
      23, "SetSessionGraphOptimizationLevel", POINTER, POINTER, INT32),
  SET_INTRA_OP_NUM_THREADS(24, "SetIntraOpNumThreads", POINTER, POINTER, INT32),
  SET_INTER_OP_NUM_THREADS(25, "SetInterOpNumThreads", POINTER, POINTER, INT32),
  SESSION_GET_INPUT_COUNT(30, "SessionGetInputCount", POINTER, POINTER, POINTER),
  SESSION_GET_OUTPUT_COUNT(31, "SessionGetOutputCount", POINTER, POINTER, POINTER),
  SESSION_GET_OVERRIDABLE_INITIALIZER_COUNT(
      32, "SessionGetOverridableInitializerCount", POINTER, POINTER, POINTER),
  SESSION_GET_INPUT_TYPE_INFO(33, "SessionGetInputTypeInfo", POINTER, POINTER, SIZE, POINTER),
  SESSION_GET_OUTPUT_TYPE_INFO(34, "SessionGetOutputTypeInfo", POINTER, POINTER, SIZE, POINTER),
  SESSION_GET_OVERRIDABLE_INITIALIZER_TYPE_INFO(
      35, "SessionGetOverridableInitializerTypeInfo", POINTER, POINTER, SIZE, POINTER),
  SESSION_GET_INPUT_NAME(36, "SessionGetInputName", POINTER, POINTER, SIZE, POINTER, POINTER),
  SESSION_GET_OUTPUT_NAME(37, "SessionGetOutputName", POINTER, POINTER, SIZE, POINTER, POINTER),
  SESSION_GET_OVERRIDABLE_INITIALIZER_NAME(
      38, "SessionGetOverridableInitializerName", POINTER, POINTER, SIZE, POINTER, POINTER),
  CREATE_RUN_OPTIONS(39, "CreateRunOptions", POINTER, POINTER),
  RUN_OPTIONS_SET_TERMINATE(46, "RunOptionsSetTerminate", POINTER, POINTER),
  RUN_OPTIONS_UNSET_TERMINATE(47, "RunOptionsUnsetTerminate", POINTER, POINTER),
  CREATE_TENSOR_AS_ORT_VALUE(
      48, "CreateTensorAsOrtValue", POINTER, POINTER, POINTER, SIZE, INT32, POINTER),
  CREATE_TENSOR_WITH_DATA_AS_ORT_VALUE(
      49,
      "CreateTensorWithDataAsOrtValue",
      POINTER,
      POINTER,
      POINTER,
      SIZE,
      POINTER,
      SIZE,
      INT32,
      POINTER),
  GET_TENSOR_MUTABLE_DATA(51, "GetTensorMutableData", POINTER, POINTER, POINTER),
  GET_STRING_TENSOR_DATA_LENGTH(53, "GetStringTensorDataLength", POINTER, POINTER, POINTER),
  GET_STRING_TENSOR_CONTENT(
      54, "GetStringTensorContent", POINTER, POINTER, POINTER, SIZE, POINTER, SIZE),
  CAST_TYPE_INFO_TO_TENSOR_INFO(55, "CastTypeInfoToTensorInfo", POINTER, POINTER, POINTER),
  GET_ONNX_TYPE_FROM_TYPE_INFO(56, "GetOnnxTypeFromTypeInfo", POINTER, POINTER, POINTER),
  GET_TENSOR_ELEMENT_TYPE(60, "GetTensorElementType", POINTER, POINTER, POINTER),
  GET_DIMENSIONS_COUNT(61, "GetDimensionsCount", POINTER, POINTER, POINTER),
  GET_DIMENSIONS(62, "GetDimensions", POINTER, POINTER, POINTER, SIZE),
  GET_SYMBOLIC_DIMENSIONS(63, "GetSymbolicDimensions", POINTER, POINTER, POINTER, SIZE),
  CREATE_CPU_MEMORY_INFO(69, "CreateCpuMemoryInfo", POINTER, INT32, INT32, POINTER),
  ALLOCATOR_FREE(76, "AllocatorFree", POINTER, POINTER, POINTER),
  GET_ALLOCATOR_WITH_DEFAULT_OPTIONS(78, "GetAllocatorWithDefaultOptions", POINTER, POINTER),
  GET_VALUE(80, "GetValue", POINTER, POINTER, INT32, POINTER, POINTER),
  GET_VALUE_COUNT(81, "GetValueCount", POINTER, POINTER, POINTER),
  RELEASE_STATUS(93, "ReleaseStatus", VOID, POINTER),
  RELEASE_SESSION(95, "ReleaseSession", VOID, POINTER),
  RELEASE_VALUE(96, "ReleaseValue", VOID, POINTER),
  RELEASE_RUN_OPTIONS(97, "ReleaseRunOptions", VOID, POINTER),
  RELEASE_TYPE_INFO(98, "ReleaseTypeInfo", VOID, POINTER),
  RELEASE_SESSION_OPTIONS(100, "ReleaseSessionOptions", VOID, POINTER),
  CAST_TYPE_INFO_TO_MAP_TYPE_INFO(103, "CastTypeInfoToMapTypeInfo", POINTER, POINTER, POINTER),
  CAST_TYPE_INFO_TO_SEQUENCE_TYPE_INFO(
      104, "CastTypeInfoToSequenceTypeInfo", POINTER, POINTER, POINTER),
  GET_MAP_KEY_TYPE(105, "GetMapKeyType", POINTER, POINTER, POINTER),
  GET_MAP_VALUE_TYPE(106, "GetMapValueType", POINTER, POINTER, POINTER),
  GET_SEQUENCE_ELEMENT_TYPE(107, "GetSequenceElementType", POINTER, POINTER, POINTER),
  ADD_SESSION_CONFIG_ENTRY(130, "AddSessionConfigEntry", POINTER, POINTER, POINTER, POINTER),
  CREATE_AND_REGISTER_ALLOCATOR(
      144, "CreateAndRegisterAllocator", POINTER, POINTER, POINTER, POINTER),
  RELEASE_ARENA_CFG(157, "ReleaseArenaCfg", VOID, POINTER),
  CREATE_ARENA_CFG_V2(164, "CreateArenaCfgV2", POINTER, POINTER, POINTER, SIZE, POINTER),
  ADD_RUN_CONFIG_ENTRY(165, "AddRunConfigEntry", POINTER, POINTER, POINTER, POINTER),
  UNREGISTER_ALLOCATOR(177, "UnregisterAllocator", POINTER, POINTER, POINTER),
  GET_RESIZED_STRING_TENSOR_ELEMENT_BUFFER(
      252, "GetResizedStringTensorElementBuffer", POINTER, POINTER, SIZE, SIZE, POINTER),
  TENSOR_TYPE_AND_SHAPE_HAS_SHAPE(390, "TensorTypeAndShape_HasShape", BOOL, POINTER),
  GET_TENSOR_ELEMENT_TYPE_AND_SHAPE_DATA_REFERENCE(
      414,
      "GetTensorElementTypeAndShapeDataReference",
      POINTER,
      POINTER,
      POINTER,
      POINTER,
      POINTER);

  private final int place;
  private final String declaredName;

  @SuppressWarnings("ImmutableEnumChecker") // A record of a list that is not changed.
  private final NativeSignature signature;

  OrtFunction(int place, String declaredName, NativeType result, NativeType... parameters) {
    this.place = place;
    this.declaredName = declaredName;
    this.signature = NativeSignature.of(result, parameters);
  }

  /** Counted from 0. */
  int place() {
    return place;
  }

  /** Returns the name in the header. */
  String declaredName() {
    return declaredName;
  }

  NativeSignature signature() {
    return signature;
  }

  /**
   * Binds the function of a table.
   *
   * @param table address of the library's {@code OrtApi}
   */
  NativeFunction in(long table) {
    long address = NativeMemory.getLong(table + (long) place * Long.BYTES);
    return NativeFunction.at(MemorySegment.ofAddress(address), signature);
  }
}
