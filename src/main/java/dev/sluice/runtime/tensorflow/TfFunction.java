package dev.sluice.runtime.tensorflow;

import static dev.sluice.runtime.NativeType.INT32;
import static dev.sluice.runtime.NativeType.INT64;
import static dev.sluice.runtime.NativeType.POINTER;
import static dev.sluice.runtime.NativeType.SIZE;
import static dev.sluice.runtime.NativeType.VOID;

import dev.sluice.runtime.NativeFunction;
import dev.sluice.runtime.NativeSignature;
import dev.sluice.runtime.NativeType;
import java.lang.foreign.SymbolLookup;

/**
 * The functions of TensorFlow's C interface that are used here: names, results and parameters. A
 * test holds every line against the library's headers.
 */
enum TfFunction {
  NEW_STATUS("TF_NewStatus", POINTER),
  DELETE_STATUS("TF_DeleteStatus", VOID, POINTER),
  GET_CODE("TF_GetCode", INT32, POINTER),
  MESSAGE("TF_Message", POINTER, POINTER),
  NEW_BUFFER("TF_NewBuffer", POINTER),
  NEW_BUFFER_FROM_STRING("TF_NewBufferFromString", POINTER, POINTER, SIZE),
  DELETE_BUFFER("TF_DeleteBuffer", VOID, POINTER),
  NEW_SESSION_OPTIONS("TF_NewSessionOptions", POINTER),
  SET_CONFIG("TF_SetConfig", VOID, POINTER, POINTER, SIZE, POINTER),
  DELETE_SESSION_OPTIONS("TF_DeleteSessionOptions", VOID, POINTER),
  NEW_GRAPH("TF_NewGraph", POINTER),
  DELETE_GRAPH("TF_DeleteGraph", VOID, POINTER),
  GRAPH_OPERATION_BY_NAME("TF_GraphOperationByName", POINTER, POINTER, POINTER),
  OPERATION_NUM_OUTPUTS("TF_OperationNumOutputs", INT32, POINTER),
  LOAD_SESSION_FROM_SAVED_MODEL(
      "TF_LoadSessionFromSavedModel",
      POINTER,
      POINTER,
      POINTER,
      POINTER,
      POINTER,
      INT32,
      POINTER,
      POINTER,
      POINTER),
  CLOSE_SESSION("TF_CloseSession", VOID, POINTER, POINTER),
  DELETE_SESSION("TF_DeleteSession", VOID, POINTER, POINTER),
  SESSION_RUN(
      "TF_SessionRun",
      VOID,
      POINTER,
      POINTER,
      POINTER,
      POINTER,
      INT32,
      POINTER,
      POINTER,
      INT32,
      POINTER,
      INT32,
      POINTER,
      POINTER),
  NEW_TENSOR("TF_NewTensor", POINTER, INT32, POINTER, INT32, POINTER, SIZE, POINTER, POINTER),
  ALLOCATE_TENSOR("TF_AllocateTensor", POINTER, INT32, POINTER, INT32, SIZE),
  TENSOR_FROM_PROTO("TF_TensorFromProto", VOID, POINTER, POINTER, POINTER),
  DELETE_TENSOR("TF_DeleteTensor", VOID, POINTER),
  TENSOR_TYPE("TF_TensorType", INT32, POINTER),
  NUM_DIMS("TF_NumDims", INT32, POINTER),
  DIM("TF_Dim", INT64, POINTER, INT32),
  TENSOR_DATA("TF_TensorData", POINTER, POINTER),
  STRING_INIT("TF_StringInit", VOID, POINTER),
  STRING_COPY("TF_StringCopy", VOID, POINTER, POINTER, SIZE),
  STRING_GET_DATA_POINTER("TF_StringGetDataPointer", POINTER, POINTER),
  STRING_GET_SIZE("TF_StringGetSize", SIZE, POINTER),
  STRING_DEALLOC("TF_StringDealloc", VOID, POINTER);

  private final String declaredName;

  @SuppressWarnings("ImmutableEnumChecker") // A record of a list that is not changed.
  private final NativeSignature signature;

  TfFunction(String declaredName, NativeType result, NativeType... parameters) {
    this.declaredName = declaredName;
    this.signature = NativeSignature.of(result, parameters);
  }

  /** Returns the name in the header and in the library. */
  String declaredName() {
    return declaredName;
  }

  NativeSignature signature() {
    return signature;
  }

  /** Binds the function of a library. */
  NativeFunction in(SymbolLookup library) {
    return NativeFunction.at(library.findOrThrow(declaredName), signature);
  }
}
