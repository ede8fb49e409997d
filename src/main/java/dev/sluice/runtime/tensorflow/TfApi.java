package dev.sluice.runtime.tensorflow;

import dev.sluice.runtime.NativeFunction;
import dev.sluice.runtime.NativeMemory;
import java.lang.foreign.SymbolLookup;

/**
 * TensorFlow's C functions, those that are used here, by their names there. Every parameter that is
 * not a count or a constant is an address. What a function makes is its caller's to delete.
 *
 * <p>Functions that can fail write to a status, which the caller checks. Call {@link
 * TfLibrary#load} first: this class cannot say what is wrong with the library.
 */
final class TfApi {
  /** A TF_Output: the address of an operation and a number, which is padded. */
  static final int OUTPUT_SIZE = 16;

  /** A TF_TString, whose inside only the library knows. */
  static final int STRING_SIZE = 24;

  private static final SymbolLookup LIBRARY = TfLibrary.load();

  private static final NativeFunction NEW_STATUS = TfFunction.NEW_STATUS.in(LIBRARY);
  private static final NativeFunction DELETE_STATUS = TfFunction.DELETE_STATUS.in(LIBRARY);
  private static final NativeFunction GET_CODE = TfFunction.GET_CODE.in(LIBRARY);
  private static final NativeFunction MESSAGE = TfFunction.MESSAGE.in(LIBRARY);
  private static final NativeFunction NEW_BUFFER = TfFunction.NEW_BUFFER.in(LIBRARY);
  private static final NativeFunction NEW_BUFFER_FROM_STRING =
      TfFunction.NEW_BUFFER_FROM_STRING.in(LIBRARY);
  private static final NativeFunction DELETE_BUFFER = TfFunction.DELETE_BUFFER.in(LIBRARY);
  private static final NativeFunction NEW_SESSION_OPTIONS =
      TfFunction.NEW_SESSION_OPTIONS.in(LIBRARY);
  private static final NativeFunction SET_CONFIG = TfFunction.SET_CONFIG.in(LIBRARY);
  private static final NativeFunction DELETE_SESSION_OPTIONS =
      TfFunction.DELETE_SESSION_OPTIONS.in(LIBRARY);
  private static final NativeFunction NEW_GRAPH = TfFunction.NEW_GRAPH.in(LIBRARY);
  private static final NativeFunction DELETE_GRAPH = TfFunction.DELETE_GRAPH.in(LIBRARY);
  private static final NativeFunction GRAPH_OPERATION_BY_NAME =
      TfFunction.GRAPH_OPERATION_BY_NAME.in(LIBRARY);
  private static final NativeFunction OPERATION_NUM_OUTPUTS =
      TfFunction.OPERATION_NUM_OUTPUTS.in(LIBRARY);
  private static final NativeFunction LOAD_SESSION =
      TfFunction.LOAD_SESSION_FROM_SAVED_MODEL.in(LIBRARY);
  private static final NativeFunction CLOSE_SESSION = TfFunction.CLOSE_SESSION.in(LIBRARY);
  private static final NativeFunction DELETE_SESSION = TfFunction.DELETE_SESSION.in(LIBRARY);
  private static final NativeFunction SESSION_RUN = TfFunction.SESSION_RUN.in(LIBRARY);
  private static final NativeFunction NEW_TENSOR = TfFunction.NEW_TENSOR.in(LIBRARY);
  private static final NativeFunction ALLOCATE_TENSOR = TfFunction.ALLOCATE_TENSOR.in(LIBRARY);
  private static final NativeFunction TENSOR_FROM_PROTO = TfFunction.TENSOR_FROM_PROTO.in(LIBRARY);
  private static final NativeFunction DELETE_TENSOR = TfFunction.DELETE_TENSOR.in(LIBRARY);
  private static final NativeFunction TENSOR_TYPE = TfFunction.TENSOR_TYPE.in(LIBRARY);
  private static final NativeFunction NUM_DIMS = TfFunction.NUM_DIMS.in(LIBRARY);
  private static final NativeFunction DIM = TfFunction.DIM.in(LIBRARY);
  private static final NativeFunction TENSOR_DATA = TfFunction.TENSOR_DATA.in(LIBRARY);
  private static final NativeFunction STRING_INIT = TfFunction.STRING_INIT.in(LIBRARY);
  private static final NativeFunction STRING_COPY = TfFunction.STRING_COPY.in(LIBRARY);
  private static final NativeFunction STRING_DATA = TfFunction.STRING_GET_DATA_POINTER.in(LIBRARY);
  private static final NativeFunction STRING_LENGTH = TfFunction.STRING_GET_SIZE.in(LIBRARY);
  private static final NativeFunction STRING_DEALLOC = TfFunction.STRING_DEALLOC.in(LIBRARY);

  private TfApi() {}

  static long newStatus() {
    return NEW_STATUS.call();
  }

  static void deleteStatus(long status) {
    DELETE_STATUS.call(status);
  }

  static int getCode(long status) {
    return (int) GET_CODE.call(status);
  }

  static String message(long status) {
    return NativeMemory.getText(MESSAGE.call(status));
  }

  static long newBuffer() {
    return NEW_BUFFER.call();
  }

  /** Makes a buffer with a copy of the bytes. */
  static long newBufferFromString(long bytes, long length) {
    return NEW_BUFFER_FROM_STRING.call(bytes, length);
  }

  static void deleteBuffer(long buffer) {
    DELETE_BUFFER.call(buffer);
  }

  static long newSessionOptions() {
    return NEW_SESSION_OPTIONS.call();
  }

  static void setConfig(long options, long bytes, long length, long status) {
    SET_CONFIG.call(options, bytes, length, status);
  }

  static void deleteSessionOptions(long options) {
    DELETE_SESSION_OPTIONS.call(options);
  }

  static long newGraph() {
    return NEW_GRAPH.call();
  }

  static void deleteGraph(long graph) {
    DELETE_GRAPH.call(graph);
  }

  /** Returns the graph's operation, or 0. */
  static long graphOperationByName(long graph, long name) {
    return GRAPH_OPERATION_BY_NAME.call(graph, name);
  }

  static int operationNumOutputs(long operation) {
    return (int) OPERATION_NUM_OUTPUTS.call(operation);
  }

  static long loadSessionFromSavedModel(
      long options, long folder, long tags, int tagCount, long graph, long metaGraph, long status) {
    return LOAD_SESSION.call(options, 0, folder, tags, tagCount, graph, metaGraph, status);
  }

  static void closeSession(long session, long status) {
    CLOSE_SESSION.call(session, status);
  }

  static void deleteSession(long session, long status) {
    DELETE_SESSION.call(session, status);
  }

  static void sessionRun(
      long session,
      long inputs,
      long inputValues,
      int inputCount,
      long outputs,
      long outputValues,
      int outputCount,
      long status) {
    SESSION_RUN.call(
        session,
        0,
        inputs,
        inputValues,
        inputCount,
        outputs,
        outputValues,
        outputCount,
        0,
        0,
        0,
        status);
  }

  /** Makes a tensor over memory that the deallocator frees when it is no longer referenced. */
  static long newTensor(int type, long dims, int rank, long data, long bytes, long deallocator) {
    return NEW_TENSOR.call(type, dims, rank, data, bytes, deallocator, 0);
  }

  /** Makes a tensor with memory of its own, which is not set. */
  static long allocateTensor(int type, long dims, int rank, long bytes) {
    return ALLOCATE_TENSOR.call(type, dims, rank, bytes);
  }

  /** Replaces what a tensor is by a serialized TensorProto. */
  static void tensorFromProto(long buffer, long tensor, long status) {
    TENSOR_FROM_PROTO.call(buffer, tensor, status);
  }

  static void deleteTensor(long tensor) {
    DELETE_TENSOR.call(tensor);
  }

  static int tensorType(long tensor) {
    return (int) TENSOR_TYPE.call(tensor);
  }

  static int numDims(long tensor) {
    return (int) NUM_DIMS.call(tensor);
  }

  static long dim(long tensor, int index) {
    return DIM.call(tensor, index);
  }

  static long tensorData(long tensor) {
    return TENSOR_DATA.call(tensor);
  }

  static void stringInit(long string) {
    STRING_INIT.call(string);
  }

  static void stringCopy(long string, long bytes, long length) {
    STRING_COPY.call(string, bytes, length);
  }

  static long stringGetDataPointer(long string) {
    return STRING_DATA.call(string);
  }

  static long stringGetSize(long string) {
    return STRING_LENGTH.call(string);
  }

  static void stringDealloc(long string) {
    STRING_DEALLOC.call(string);
  }
}
