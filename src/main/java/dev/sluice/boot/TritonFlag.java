package dev.sluice.boot;

/**
 * The flags of Triton's {@code tritonserver}: each is named as its constant is, in lower case and
 * with dashes.
 */
enum TritonFlag implements ForeignFlag {
  MODEL_REPOSITORY(Kind.VALUE, "folder of models; may be repeated"),
  MODEL_STORE(Kind.VALUE, "the same"),
  MODEL_CONTROL_MODE(Kind.VALUE, "none, poll or explicit"),
  LOAD_MODEL(Kind.VALUE, "model to load at the start, * for all; only with explicit; repeatable"),
  REPOSITORY_POLL_SECS(Kind.VALUE, "how often folders are looked at with poll; 0: never"),
  STRICT_READINESS(Kind.SWITCH, "whether the server is ready only while every model is"),
  EXIT_ON_ERROR(Kind.SWITCH, "whether a model that does not load ends the start"),
  EXIT_TIMEOUT_SECS(Kind.VALUE, "how long accepted requests may take at the end"),
  MODEL_LOAD_THREAD_COUNT(Kind.VALUE, "versions that may load at once"),
  MODEL_LOAD_RETRY_COUNT(Kind.VALUE, "how often a load that failed is tried again"),
  ID(Kind.VALUE, "what the server calls itself"),
  ALLOW_HTTP(Kind.SWITCH, "whether there is a port for HTTP"),
  HTTP_ADDRESS(Kind.VALUE, "where it is"),
  HTTP_PORT(Kind.VALUE, "its number"),
  ALLOW_GRPC(Kind.SWITCH, "whether there is a port for gRPC"),
  GRPC_ADDRESS(Kind.VALUE, "where it is"),
  GRPC_PORT(Kind.VALUE, "its number"),
  ALLOW_METRICS(Kind.SWITCH, "whether there is a port for metrics"),
  METRICS_ADDRESS(Kind.VALUE, "where it is"),
  METRICS_PORT(Kind.VALUE, "its number"),
  HTTP_MAX_INPUT_SIZE(Kind.VALUE, "bytes of a request"),
  HTTP_HEADER_FORWARD_PATTERN(Kind.VALUE, "headers that models see as parameters"),
  GRPC_HEADER_FORWARD_PATTERN(Kind.VALUE, "the same for gRPC metadata"),
  CACHE_CONFIG(Kind.VALUE, "local,size=BYTES: the size of the response cache"),
  RESPONSE_CACHE_BYTE_SIZE(Kind.VALUE, "the same"),
  TRACE_CONFIG(Kind.VALUE, "[MODE,]NAME=VALUE of traces, such as rate=100; repeatable"),
  TRACE_LEVEL(Kind.VALUE, "OFF, or TIMESTAMPS: when requests came to which point is logged"),
  TRACE_RATE(Kind.VALUE, "of so many requests one is traced"),
  TRACE_COUNT(Kind.VALUE, "so many are traced in all; -1: without end"),
  TRACE_LOG_FREQUENCY(Kind.VALUE, "kept for clients: traces are in the log at once"),
  LOG_VERBOSE(Kind.VALUE, "0, 1 for debug, or 2 for trace"),
  LOG_INFO(Kind.SWITCH, "whether news are logged"),
  LOG_WARNING(Kind.SWITCH, "whether warnings are logged"),
  LOG_ERROR(Kind.SWITCH, "errors are always logged"),
  HTTP_RESTRICTED_API(
      Kind.VALUE, "APIS:KEY=VALUE: calls over HTTP that need a header, and are allowed by it"),
  GRPC_RESTRICTED_PROTOCOL(
      Kind.VALUE, "the same for gRPC, whose header is triton-grpc-protocol-KEY"),
  ENABLE_CONTROL(
      Kind.SWITCH,
      "of Sluice: the control calls that everybody may make: load,unload, or true for all"),
  HELP(Kind.SWITCH, "print this and exit"),
  VERSION(Kind.SWITCH, "print the version and exit"),

  GRPC_USE_SSL(Kind.REFUSED, "use listeners[].tls of sluice serve"),
  GRPC_USE_SSL_MUTUAL(Kind.REFUSED, "use listeners[].tls of sluice serve"),
  ALLOW_SAGEMAKER(Kind.REFUSED, "its port is not there"),
  ALLOW_VERTEX_AI(Kind.REFUSED, "its port is not there"),
  MODEL_NAMESPACING(Kind.REFUSED, "of two models with one name the first is served"),

  LOG_FORMAT,
  LOG_FILE,
  STRICT_MODEL_CONFIG,
  DISABLE_AUTO_COMPLETE_CONFIG(Kind.MEANINGLESS_SWITCH, ""),
  MODEL_CONFIG_NAME,
  BACKEND_DIRECTORY,
  BACKEND_CONFIG,
  REPOAGENT_DIRECTORY,
  CACHE_DIRECTORY,
  RATE_LIMIT,
  RATE_LIMIT_RESOURCE,
  PINNED_MEMORY_POOL_BYTE_SIZE,
  CUDA_MEMORY_POOL_BYTE_SIZE,
  CUDA_VIRTUAL_ADDRESS_SIZE,
  MIN_SUPPORTED_COMPUTE_CAPABILITY,
  MODEL_LOAD_GPU_LIMIT,
  BUFFER_MANAGER_THREAD_COUNT,
  ENABLE_PEER_ACCESS,
  HOST_POLICY,
  HTTP_THREAD_COUNT,
  REUSE_HTTP_PORT,
  REUSE_GRPC_PORT,
  GRPC_INFER_THREAD_COUNT,
  GRPC_INFER_ALLOCATION_POOL_SIZE,
  GRPC_INFER_RESPONSE_COMPRESSION_LEVEL,
  GRPC_MAX_RESPONSE_POOL_SIZE,
  GRPC_KEEPALIVE_TIME,
  GRPC_KEEPALIVE_TIMEOUT,
  GRPC_KEEPALIVE_PERMIT_WITHOUT_CALLS,
  GRPC_HTTP2_MAX_PINGS_WITHOUT_DATA,
  GRPC_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA,
  GRPC_HTTP2_MAX_PING_STRIKES,
  GRPC_MAX_CONNECTION_AGE,
  GRPC_MAX_CONNECTION_AGE_GRACE,
  GRPC_SERVER_CERT,
  GRPC_SERVER_KEY,
  GRPC_ROOT_CERT,
  ALLOW_GPU_METRICS,
  ALLOW_CPU_METRICS,
  METRICS_INTERVAL_MS,
  METRICS_CONFIG,
  TRACE_FILE;

  private final Kind kind;
  private final String text;

  TritonFlag(Kind kind, String text) {
    this.kind = kind;
    this.text = text;
  }

  TritonFlag() {
    this(Kind.MEANINGLESS, "");
  }

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public String text() {
    return text;
  }

  @Override
  public String flag() {
    return ForeignFlag.super.flag().replace('_', '-');
  }
}
