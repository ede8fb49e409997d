package dev.sluice.boot.compat;

/**
 * The flags of TensorFlow Serving's {@code tensorflow_model_server}: each is named as its constant
 * is, in lower case.
 */
public enum ServingFlag implements CompatFlag {
  PORT(Kind.VALUE, "port for gRPC; 0: none"),
  REST_API_PORT(Kind.VALUE, "port for REST; 0: none"),
  MODEL_NAME(Kind.VALUE, "name of the only model"),
  MODEL_BASE_PATH(Kind.VALUE, "folder of the only model"),
  MODEL_CONFIG_FILE(Kind.VALUE, "file that lists the models"),
  MODEL_CONFIG_FILE_POLL_WAIT_SECONDS(Kind.VALUE, "how often that file is read again; 0: never"),
  FILE_SYSTEM_POLL_WAIT_SECONDS(Kind.VALUE, "how often folders are looked at; 0: once"),
  ALLOW_VERSION_LABELS_FOR_UNAVAILABLE_MODELS(Kind.SWITCH, "labels may come before versions"),
  NUM_LOAD_THREADS(Kind.VALUE, "versions that may load at once"),
  MAX_NUM_LOAD_RETRIES(Kind.VALUE, "how often a load that failed is tried again"),
  LOAD_RETRY_INTERVAL_MICROS(Kind.VALUE, "how long after the failure"),
  ENABLE_BATCHING(Kind.SWITCH, "join requests"),
  BATCHING_PARAMETERS_FILE(Kind.VALUE, "how to join them"),
  TENSORFLOW_SESSION_PARALLELISM(Kind.VALUE, "threads inside and across operators"),
  TENSORFLOW_INTRA_OP_PARALLELISM(Kind.VALUE, "threads inside one operator"),
  TENSORFLOW_INTER_OP_PARALLELISM(Kind.VALUE, "threads across operators"),
  SAVED_MODEL_TAGS(Kind.VALUE, "the meta graph to load"),
  ENABLE_MODEL_WARMUP(Kind.SWITCH, "whether a new version runs before it takes requests"),
  NUM_REQUEST_ITERATIONS_FOR_WARMUP(Kind.VALUE, "how often each recorded request is run then"),
  REST_API_TIMEOUT_IN_MS(Kind.VALUE, "how long a request may take"),
  ENABLE_PER_MODEL_BATCHING_PARAMETERS(
      Kind.SWITCH, "whether each version's batching_params.pbtxt says how its requests are joined"),
  REST_API_ENABLE_CORS_SUPPORT(Kind.SWITCH, "whether pages from other origins may ask"),
  ENABLE_SERIALIZATION_AS_TENSOR_CONTENT(Kind.SWITCH, "Predict answers tensors as raw bytes"),
  ENABLE_GRPC_HEALTHCHECK_SERVICE(Kind.SWITCH, "the health service, which is always there"),
  GRPC_SOCKET_PATH(Kind.VALUE, "Unix domain socket for gRPC"),
  SSL_CONFIG_FILE(Kind.VALUE, "certificates and key of the gRPC port"),
  MONITORING_CONFIG_FILE(Kind.VALUE, "whether and where the REST port shows metrics"),
  ENABLE_CONTROL(
      Kind.SWITCH, "of Sluice: the control calls that everybody may make: reload, or true for all"),
  VERSION(Kind.SWITCH, "print versions and exit"),

  USE_ALTS_CREDENTIALS(
      Kind.REFUSED, "ALTS exists on Google's machines only; use --ssl_config_file"),

  ENABLE_SIGNATURE_METHOD_NAME_CHECK(
      Kind.SWITCH, "whether a signature may only be called as its method name says"),

  TENSORFLOW_SESSION_CONFIG_FILE(Kind.VALUE, "options of TensorFlow's sessions"),
  PLATFORM_CONFIG_FILE(Kind.VALUE, "batching, session options and warm-up in one file"),
  MIXED_PRECISION(Kind.VALUE, "bfloat16: compute in it where that is good enough"),
  PROTOCOLS(
      Kind.VALUE,
      "of Sluice: what the ports carry besides tfs: kserve, oip, grps, brpc, openai, metrics"),

  REST_API_NUM_THREADS(Kind.NO_EFFECT, "event loops read and write, one for each core"),
  NUM_UNLOAD_THREADS(Kind.NO_EFFECT, "a version is unloaded on a thread of its own"),
  FLUSH_FILESYSTEM_CACHES(
      Kind.NO_EFFECT, "the files of a model are not kept in memory of Sluice's"),
  GRPC_CHANNEL_ARGUMENTS(
      Kind.NO_EFFECT, "they are those of another gRPC; the settings limits.* bound connections"),
  GRPC_MAX_THREADS(Kind.NO_EFFECT, "event loops read and write, one for each core"),
  PREFER_TFLITE_MODEL(Kind.NO_EFFECT, "TensorFlow Lite is not part of this server"),
  NUM_TFLITE_POOLS(Kind.NO_EFFECT, "TensorFlow Lite is not part of this server"),
  NUM_TFLITE_INTERPRETERS_PER_POOL(Kind.NO_EFFECT, "TensorFlow Lite is not part of this server"),
  REMOVE_UNUSED_FIELDS_FROM_BUNDLE_METAGRAPH(
      Kind.NO_EFFECT, "of a meta graph only the signatures are ever kept"),
  ENABLE_PROFILER(Kind.NO_EFFECT, "there is no profiler service; metrics and traces show times"),
  PER_PROCESS_GPU_MEMORY_FRACTION(Kind.NO_EFFECT, "TensorFlow runs on the CPU here"),
  THREAD_POOL_FACTORY_CONFIG_FILE(
      Kind.NO_EFFECT, "thread pools cannot be plugged in; the settings tensorflow.* have numbers"),
  SKIP_INITIALIZE_TPU(Kind.NO_EFFECT, "there is no TPU to initialize"),
  XLA_CPU_COMPILATION_ENABLED(Kind.NO_EFFECT, "models are not compiled"),
  XLA_GPU_COMPILATION_ENABLED(Kind.NO_EFFECT, "models are not compiled");

  private final Kind kind;
  private final String text;

  ServingFlag(Kind kind, String text) {
    this.kind = kind;
    this.text = text;
  }

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public String text() {
    return text;
  }
}
