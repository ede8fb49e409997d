package dev.sluice.runtime.onnx;

import dev.sluice.runtime.NativeFunction;
import dev.sluice.runtime.NativeMemory;

/**
 * ONNX Runtime's C functions, those that are used here, by their names there. Every parameter that
 * is not a count or a constant is an address; {@code out} is where a result is written, one word
 * each.
 *
 * <p>All that can fail throw {@link dev.sluice.inference.InferenceException}, by {@link
 * OrtStatus#check}. Call {@link OrtLibrary#load} first: this class cannot say what is wrong with
 * the library.
 */
final class OrtApi {
  private static final long TABLE = OrtLibrary.load();

  private static final NativeFunction GET_ERROR_CODE = bind(OrtFunction.GET_ERROR_CODE);
  private static final NativeFunction GET_ERROR_MESSAGE = bind(OrtFunction.GET_ERROR_MESSAGE);
  private static final NativeFunction CREATE_ENV = bind(OrtFunction.CREATE_ENV);
  private static final NativeFunction DISABLE_TELEMETRY_EVENTS =
      bind(OrtFunction.DISABLE_TELEMETRY_EVENTS);
  private static final NativeFunction CREATE_SESSION = bind(OrtFunction.CREATE_SESSION);
  private static final NativeFunction CREATE_SESSION_FROM_ARRAY =
      bind(OrtFunction.CREATE_SESSION_FROM_ARRAY);
  private static final NativeFunction RUN = bind(OrtFunction.RUN);
  private static final NativeFunction CREATE_SESSION_OPTIONS =
      bind(OrtFunction.CREATE_SESSION_OPTIONS);
  private static final NativeFunction SET_SESSION_EXECUTION_MODE =
      bind(OrtFunction.SET_SESSION_EXECUTION_MODE);
  private static final NativeFunction DISABLE_MEM_PATTERN = bind(OrtFunction.DISABLE_MEM_PATTERN);
  private static final NativeFunction DISABLE_CPU_MEM_ARENA =
      bind(OrtFunction.DISABLE_CPU_MEM_ARENA);
  private static final NativeFunction SET_SESSION_LOG_SEVERITY_LEVEL =
      bind(OrtFunction.SET_SESSION_LOG_SEVERITY_LEVEL);
  private static final NativeFunction SET_SESSION_GRAPH_OPTIMIZATION_LEVEL =
      bind(OrtFunction.SET_SESSION_GRAPH_OPTIMIZATION_LEVEL);
  private static final NativeFunction SET_INTRA_OP_NUM_THREADS =
      bind(OrtFunction.SET_INTRA_OP_NUM_THREADS);
  private static final NativeFunction SET_INTER_OP_NUM_THREADS =
      bind(OrtFunction.SET_INTER_OP_NUM_THREADS);
  private static final NativeFunction CREATE_RUN_OPTIONS = bind(OrtFunction.CREATE_RUN_OPTIONS);
  private static final NativeFunction RUN_OPTIONS_SET_TERMINATE =
      bind(OrtFunction.RUN_OPTIONS_SET_TERMINATE);
  private static final NativeFunction RUN_OPTIONS_UNSET_TERMINATE =
      bind(OrtFunction.RUN_OPTIONS_UNSET_TERMINATE);
  private static final NativeFunction CREATE_TENSOR = bind(OrtFunction.CREATE_TENSOR_AS_ORT_VALUE);
  private static final NativeFunction CREATE_TENSOR_WITH_DATA =
      bind(OrtFunction.CREATE_TENSOR_WITH_DATA_AS_ORT_VALUE);
  private static final NativeFunction GET_TENSOR_MUTABLE_DATA =
      bind(OrtFunction.GET_TENSOR_MUTABLE_DATA);
  private static final NativeFunction GET_STRING_TENSOR_DATA_LENGTH =
      bind(OrtFunction.GET_STRING_TENSOR_DATA_LENGTH);
  private static final NativeFunction GET_STRING_TENSOR_CONTENT =
      bind(OrtFunction.GET_STRING_TENSOR_CONTENT);
  private static final NativeFunction CAST_TYPE_INFO_TO_TENSOR_INFO =
      bind(OrtFunction.CAST_TYPE_INFO_TO_TENSOR_INFO);
  private static final NativeFunction GET_ONNX_TYPE_FROM_TYPE_INFO =
      bind(OrtFunction.GET_ONNX_TYPE_FROM_TYPE_INFO);
  private static final NativeFunction GET_TENSOR_ELEMENT_TYPE =
      bind(OrtFunction.GET_TENSOR_ELEMENT_TYPE);
  private static final NativeFunction GET_DIMENSIONS_COUNT = bind(OrtFunction.GET_DIMENSIONS_COUNT);
  private static final NativeFunction GET_DIMENSIONS = bind(OrtFunction.GET_DIMENSIONS);
  private static final NativeFunction GET_SYMBOLIC_DIMENSIONS =
      bind(OrtFunction.GET_SYMBOLIC_DIMENSIONS);
  private static final NativeFunction CREATE_CPU_MEMORY_INFO =
      bind(OrtFunction.CREATE_CPU_MEMORY_INFO);
  private static final NativeFunction ALLOCATOR_FREE = bind(OrtFunction.ALLOCATOR_FREE);
  private static final NativeFunction GET_ALLOCATOR =
      bind(OrtFunction.GET_ALLOCATOR_WITH_DEFAULT_OPTIONS);
  private static final NativeFunction RELEASE_STATUS = bind(OrtFunction.RELEASE_STATUS);
  private static final NativeFunction RELEASE_SESSION = bind(OrtFunction.RELEASE_SESSION);
  private static final NativeFunction RELEASE_VALUE = bind(OrtFunction.RELEASE_VALUE);
  private static final NativeFunction RELEASE_RUN_OPTIONS = bind(OrtFunction.RELEASE_RUN_OPTIONS);
  private static final NativeFunction RELEASE_TYPE_INFO = bind(OrtFunction.RELEASE_TYPE_INFO);
  private static final NativeFunction RELEASE_SESSION_OPTIONS =
      bind(OrtFunction.RELEASE_SESSION_OPTIONS);
  private static final NativeFunction ADD_SESSION_CONFIG_ENTRY =
      bind(OrtFunction.ADD_SESSION_CONFIG_ENTRY);
  private static final NativeFunction CREATE_AND_REGISTER_ALLOCATOR =
      bind(OrtFunction.CREATE_AND_REGISTER_ALLOCATOR);
  private static final NativeFunction RELEASE_ARENA_CFG = bind(OrtFunction.RELEASE_ARENA_CFG);
  private static final NativeFunction CREATE_ARENA_CFG_V2 = bind(OrtFunction.CREATE_ARENA_CFG_V2);
  private static final NativeFunction ADD_RUN_CONFIG_ENTRY = bind(OrtFunction.ADD_RUN_CONFIG_ENTRY);
  private static final NativeFunction UNREGISTER_ALLOCATOR = bind(OrtFunction.UNREGISTER_ALLOCATOR);
  private static final NativeFunction GET_RESIZED_STRING_BUFFER =
      bind(OrtFunction.GET_RESIZED_STRING_TENSOR_ELEMENT_BUFFER);
  private static final NativeFunction HAS_SHAPE = bind(OrtFunction.TENSOR_TYPE_AND_SHAPE_HAS_SHAPE);
  private static final NativeFunction GET_TYPE_AND_SHAPE_REFERENCE =
      bind(OrtFunction.GET_TENSOR_ELEMENT_TYPE_AND_SHAPE_DATA_REFERENCE);

  private OrtApi() {}

  /** Binds a function of the library that is loaded. */
  static NativeFunction bind(OrtFunction function) {
    return function.in(TABLE);
  }

  static int getErrorCode(long status) {
    return (int) GET_ERROR_CODE.call(status);
  }

  static String getErrorMessage(long status) {
    return NativeMemory.getText(GET_ERROR_MESSAGE.call(status));
  }

  static void releaseStatus(long status) {
    RELEASE_STATUS.call(status);
  }

  static void createEnv(int logLevel, long logId, long out) {
    OrtStatus.check(CREATE_ENV.call(logLevel, logId, out));
  }

  static void disableTelemetryEvents(long env) {
    OrtStatus.check(DISABLE_TELEMETRY_EVENTS.call(env));
  }

  static void createCpuMemoryInfo(int allocatorType, int memoryType, long out) {
    OrtStatus.check(CREATE_CPU_MEMORY_INFO.call(allocatorType, memoryType, out));
  }

  static void getAllocatorWithDefaultOptions(long out) {
    OrtStatus.check(GET_ALLOCATOR.call(out));
  }

  static void allocatorFree(long allocator, long block) {
    OrtStatus.check(ALLOCATOR_FREE.call(allocator, block));
  }

  static void createSessionOptions(long out) {
    OrtStatus.check(CREATE_SESSION_OPTIONS.call(out));
  }

  static void setSessionExecutionMode(long options, int mode) {
    OrtStatus.check(SET_SESSION_EXECUTION_MODE.call(options, mode));
  }

  static void disableMemPattern(long options) {
    OrtStatus.check(DISABLE_MEM_PATTERN.call(options));
  }

  static void disableCpuMemArena(long options) {
    OrtStatus.check(DISABLE_CPU_MEM_ARENA.call(options));
  }

  static void setSessionLogSeverityLevel(long options, int level) {
    OrtStatus.check(SET_SESSION_LOG_SEVERITY_LEVEL.call(options, level));
  }

  static void setSessionGraphOptimizationLevel(long options, int level) {
    OrtStatus.check(SET_SESSION_GRAPH_OPTIMIZATION_LEVEL.call(options, level));
  }

  static void setIntraOpNumThreads(long options, int threads) {
    OrtStatus.check(SET_INTRA_OP_NUM_THREADS.call(options, threads));
  }

  static void setInterOpNumThreads(long options, int threads) {
    OrtStatus.check(SET_INTER_OP_NUM_THREADS.call(options, threads));
  }

  static void addSessionConfigEntry(long options, long key, long value) {
    OrtStatus.check(ADD_SESSION_CONFIG_ENTRY.call(options, key, value));
  }

  static void releaseSessionOptions(long options) {
    RELEASE_SESSION_OPTIONS.call(options);
  }

  static void createSession(long env, long path, long options, long out) {
    OrtStatus.check(CREATE_SESSION.call(env, path, options, out));
  }

  static void createSessionFromArray(long env, long model, long bytes, long options, long out) {
    OrtStatus.check(CREATE_SESSION_FROM_ARRAY.call(env, model, bytes, options, out));
  }

  static void createArenaCfg(long keys, long values, long count, long out) {
    OrtStatus.check(CREATE_ARENA_CFG_V2.call(keys, values, count, out));
  }

  static void releaseArenaCfg(long config) {
    RELEASE_ARENA_CFG.call(config);
  }

  /** Sessions that ask for the environment's allocators take this one from now on. */
  static void createAndRegisterAllocator(long env, long memoryInfo, long arenaConfig) {
    OrtStatus.check(CREATE_AND_REGISTER_ALLOCATOR.call(env, memoryInfo, arenaConfig));
  }

  /** Sessions that have it keep it. */
  static void unregisterAllocator(long env, long memoryInfo) {
    OrtStatus.check(UNREGISTER_ALLOCATOR.call(env, memoryInfo));
  }

  static void releaseSession(long session) {
    RELEASE_SESSION.call(session);
  }

  static void createRunOptions(long out) {
    OrtStatus.check(CREATE_RUN_OPTIONS.call(out));
  }

  /** Ends runs with these options, the one under way too, before their next operator. */
  static void runOptionsSetTerminate(long runOptions) {
    OrtStatus.check(RUN_OPTIONS_SET_TERMINATE.call(runOptions));
  }

  static void runOptionsUnsetTerminate(long runOptions) {
    OrtStatus.check(RUN_OPTIONS_UNSET_TERMINATE.call(runOptions));
  }

  static void addRunConfigEntry(long runOptions, long key, long value) {
    OrtStatus.check(ADD_RUN_CONFIG_ENTRY.call(runOptions, key, value));
  }

  static void releaseRunOptions(long runOptions) {
    RELEASE_RUN_OPTIONS.call(runOptions);
  }

  /**
   * Runs a session.
   *
   * @throws RunFailure if the runtime returns an error
   */
  static void run(
      long session,
      long runOptions,
      long inputNames,
      long inputs,
      long inputCount,
      long outputNames,
      long outputCount,
      long outputs) {
    OrtStatus.checkRun(
        RUN.call(
            session,
            runOptions,
            inputNames,
            inputs,
            inputCount,
            outputNames,
            outputCount,
            outputs));
  }

  /** Makes a tensor with memory of its own. */
  static void createTensor(long allocator, long shape, long rank, int type, long out) {
    OrtStatus.check(CREATE_TENSOR.call(allocator, shape, rank, type, out));
  }

  /** Makes a tensor over memory that stays the caller's. The shape is copied. */
  static void createTensorWithData(
      long memoryInfo, long data, long bytes, long shape, long rank, int type, long out) {
    OrtStatus.check(CREATE_TENSOR_WITH_DATA.call(memoryInfo, data, bytes, shape, rank, type, out));
  }

  static void getTensorMutableData(long value, long out) {
    OrtStatus.check(GET_TENSOR_MUTABLE_DATA.call(value, out));
  }

  /** Gives the element type, the address of the dimensions, owned by the value, and the rank. */
  static void getTypeAndShapeReference(long value, long outType, long outShape, long outRank) {
    OrtStatus.check(GET_TYPE_AND_SHAPE_REFERENCE.call(value, outType, outShape, outRank));
  }

  static void getStringTensorDataLength(long value, long out) {
    OrtStatus.check(GET_STRING_TENSOR_DATA_LENGTH.call(value, out));
  }

  static void getStringTensorContent(
      long value, long content, long bytes, long offsets, long count) {
    OrtStatus.check(GET_STRING_TENSOR_CONTENT.call(value, content, bytes, offsets, count));
  }

  /** Gives the address at which an element of this many bytes is to be written. */
  static void getResizedStringBuffer(long value, long index, long bytes, long out) {
    OrtStatus.check(GET_RESIZED_STRING_BUFFER.call(value, index, bytes, out));
  }

  static void releaseValue(long value) {
    RELEASE_VALUE.call(value);
  }

  static void getOnnxTypeFromTypeInfo(long typeInfo, long out) {
    OrtStatus.check(GET_ONNX_TYPE_FROM_TYPE_INFO.call(typeInfo, out));
  }

  /** Gives a view that lives as long as the type info. */
  static void castTypeInfoToTensorInfo(long typeInfo, long out) {
    OrtStatus.check(CAST_TYPE_INFO_TO_TENSOR_INFO.call(typeInfo, out));
  }

  static void getTensorElementType(long tensorInfo, long out) {
    OrtStatus.check(GET_TENSOR_ELEMENT_TYPE.call(tensorInfo, out));
  }

  static boolean hasShape(long tensorInfo) {
    return HAS_SHAPE.call(tensorInfo) != 0;
  }

  static void getDimensionsCount(long tensorInfo, long out) {
    OrtStatus.check(GET_DIMENSIONS_COUNT.call(tensorInfo, out));
  }

  static void getDimensions(long tensorInfo, long dims, long count) {
    OrtStatus.check(GET_DIMENSIONS.call(tensorInfo, dims, count));
  }

  static void getSymbolicDimensions(long tensorInfo, long names, long count) {
    OrtStatus.check(GET_SYMBOLIC_DIMENSIONS.call(tensorInfo, names, count));
  }

  static void releaseTypeInfo(long typeInfo) {
    RELEASE_TYPE_INFO.call(typeInfo);
  }
}
