package dev.sluice.boot.compat;

/**
 * The flags of Triton's {@code tritonserver}: each is named as its constant is, in lower case and
 * with dashes.
 */
public enum TritonFlag implements CompatFlag {
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
  METRICS_CONFIG(Kind.VALUE, "NAME=VALUE of latencies, such as summary_latencies=true; repeatable"),
  HTTP_MAX_INPUT_SIZE(Kind.VALUE, "bytes of a request"),
  HTTP_HEADER_FORWARD_PATTERN(Kind.VALUE, "headers that models see as parameters"),
  GRPC_HEADER_FORWARD_PATTERN(Kind.VALUE, "the same for gRPC metadata"),
  CACHE_CONFIG(Kind.VALUE, "local,size=BYTES: the size of the response cache"),
  RESPONSE_CACHE_BYTE_SIZE(Kind.VALUE, "the same"),
  TRACE_CONFIG(Kind.VALUE, "[MODE,]NAME=VALUE of traces, such as rate=100; repeatable"),
  TRACE_LEVEL(Kind.VALUE, "OFF, TIMESTAMPS or TENSORS: what is traced; repeatable"),
  TRACE_FILE(Kind.VALUE, "file that traces go to in place of the log"),
  TRACE_RATE(Kind.VALUE, "of so many requests one is traced"),
  TRACE_COUNT(Kind.VALUE, "so many are traced in all; -1: without end"),
  TRACE_LOG_FREQUENCY(Kind.VALUE, "number of traces in a file; 0: all in one"),
  RATE_LIMIT(Kind.VALUE, "execution_count or off: whether instances wait for resources"),
  RATE_LIMIT_RESOURCE(Kind.VALUE, "NAME:COUNT[:DEVICE]: how much there is; repeatable"),
  LOG_VERBOSE(Kind.VALUE, "0, 1 for debug, or 2 for trace"),
  LOG_INFO(Kind.SWITCH, "whether news are logged"),
  LOG_WARNING(Kind.SWITCH, "whether warnings are logged"),
  LOG_ERROR(Kind.SWITCH, "whether errors are logged"),
  LOG_FORMAT(Kind.VALUE, "how lines of the log begin: ISO8601, or default for Triton's"),
  HTTP_RESTRICTED_API(
      Kind.VALUE, "APIS:KEY=VALUE: calls over HTTP that need a header, and are allowed by it"),
  GRPC_RESTRICTED_PROTOCOL(
      Kind.VALUE, "the same for gRPC, whose header is triton-grpc-protocol-KEY"),
  ENABLE_CONTROL(
      Kind.SWITCH,
      "of Sluice: the control calls that everybody may make: load,unload, or true for all"),
  PROTOCOLS(
      Kind.VALUE,
      "of Sluice: what the ports carry besides oip: tfs, kserve, grps, brpc, openai, metrics"),
  HELP(Kind.SWITCH, "print this and exit"),
  VERSION(Kind.SWITCH, "print the version and exit"),

  DISABLE_AUTO_COMPLETE_CONFIG(
      Kind.SWITCH, "whether default-max-batch-size is left aside for models that name no batch"),
  STRICT_MODEL_CONFIG(Kind.SWITCH, "the same"),
  BACKEND_CONFIG(
      Kind.VALUE, "[BACKEND,]default-max-batch-size=N, and numbers of threads; repeatable"),
  GRPC_USE_SSL(Kind.SWITCH, "whether the port for gRPC is encrypted"),
  GRPC_USE_SSL_MUTUAL(Kind.SWITCH, "the same, for clients that show a certificate"),
  GRPC_SERVER_CERT(Kind.VALUE, "its certificate, a PEM file"),
  GRPC_SERVER_KEY(Kind.VALUE, "its key, a PEM file"),
  GRPC_ROOT_CERT(Kind.VALUE, "whom clients' certificates are signed by, a PEM file"),
  ALLOW_CLIENT_SHM(
      Kind.SWITCH, "whether callers on this machine may share memory, as --enable-control allows"),
  LOG_FILE(Kind.VALUE, "file that the log goes to in place of the standard error"),

  ALLOW_SAGEMAKER(Kind.REFUSED, "its port is not there"),
  ALLOW_VERTEX_AI(Kind.REFUSED, "its port is not there"),
  MODEL_NAMESPACING(Kind.REFUSED, "of two models with one name the first is served"),
  MODEL_CONFIG_NAME(
      Kind.REFUSED, "config.pbtxt is read; another one would say something else of the models"),

  SAGEMAKER_PORT(Kind.NO_EFFECT, Reason.NO_SUCH_PORT),
  SAGEMAKER_SAFE_PORT_RANGE(Kind.NO_EFFECT, Reason.NO_SUCH_PORT),
  SAGEMAKER_THREAD_COUNT(Kind.NO_EFFECT, Reason.NO_SUCH_PORT),
  VERTEX_AI_PORT(Kind.NO_EFFECT, Reason.NO_SUCH_PORT),
  VERTEX_AI_THREAD_COUNT(Kind.NO_EFFECT, Reason.NO_SUCH_PORT),
  VERTEX_AI_DEFAULT_MODEL(Kind.NO_EFFECT, Reason.NO_SUCH_PORT),
  BACKEND_DIRECTORY(Kind.NO_EFFECT, Reason.NO_LIBRARIES),
  REPOAGENT_DIRECTORY(Kind.NO_EFFECT, Reason.NO_LIBRARIES),
  CACHE_DIRECTORY(Kind.NO_EFFECT, Reason.NO_LIBRARIES),
  PINNED_MEMORY_POOL_BYTE_SIZE(Kind.NO_EFFECT, Reason.NO_GPUS),
  CUDA_MEMORY_POOL_BYTE_SIZE(Kind.NO_EFFECT, Reason.NO_GPUS),
  CUDA_VIRTUAL_ADDRESS_SIZE(Kind.NO_EFFECT, Reason.NO_GPUS),
  MIN_SUPPORTED_COMPUTE_CAPABILITY(Kind.NO_EFFECT, Reason.NO_GPUS),
  MODEL_LOAD_GPU_LIMIT(Kind.NO_EFFECT, Reason.NO_GPUS),
  ENABLE_PEER_ACCESS(Kind.NO_EFFECT, Reason.NO_GPUS),
  ALLOW_GPU_METRICS(Kind.NO_EFFECT, Reason.NO_GPUS),
  BUFFER_MANAGER_THREAD_COUNT(Kind.NO_EFFECT, Reason.EVENT_LOOPS),
  HOST_POLICY(Kind.NO_EFFECT, "the system places threads and memory; numactl and taskset do so"),
  HTTP_THREAD_COUNT(Kind.NO_EFFECT, Reason.EVENT_LOOPS),
  GRPC_INFER_THREAD_COUNT(Kind.NO_EFFECT, Reason.EVENT_LOOPS),
  REUSE_HTTP_PORT(Kind.NO_EFFECT, Reason.ONE_SERVER),
  REUSE_GRPC_PORT(Kind.NO_EFFECT, Reason.ONE_SERVER),
  GRPC_INFER_ALLOCATION_POOL_SIZE(Kind.NO_EFFECT, Reason.NO_POOLS),
  GRPC_MAX_RESPONSE_POOL_SIZE(Kind.NO_EFFECT, Reason.NO_POOLS),
  GRPC_INFER_RESPONSE_COMPRESSION_LEVEL(
      Kind.NO_EFFECT, "answers over gRPC are not compressed, which costs more than it saves"),
  GRPC_KEEPALIVE_TIME(Kind.NO_EFFECT, Reason.SETTINGS),
  GRPC_KEEPALIVE_TIMEOUT(Kind.NO_EFFECT, Reason.SETTINGS),
  GRPC_KEEPALIVE_PERMIT_WITHOUT_CALLS(Kind.NO_EFFECT, Reason.PINGS),
  GRPC_HTTP2_MAX_PINGS_WITHOUT_DATA(Kind.NO_EFFECT, Reason.PINGS),
  GRPC_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA(Kind.NO_EFFECT, Reason.PINGS),
  GRPC_HTTP2_MAX_PING_STRIKES(Kind.NO_EFFECT, Reason.PINGS),
  GRPC_MAX_CONNECTION_AGE(Kind.NO_EFFECT, Reason.AGE),
  GRPC_MAX_CONNECTION_AGE_GRACE(Kind.NO_EFFECT, Reason.AGE),
  ALLOW_CPU_METRICS(Kind.NO_EFFECT, "metrics of the process are always there"),
  METRICS_INTERVAL_MS(Kind.NO_EFFECT, "metrics are collected when they are asked for");

  /** The reason why several flags have no effect. */
  private static final class Reason {
    private static final String NO_SUCH_PORT = "its port is not there";
    private static final String NO_LIBRARIES =
        "no libraries of backends, agents or caches are loaded";
    private static final String NO_GPUS = "models run on CPUs";
    private static final String EVENT_LOOPS = "event loops read and write, one for each core";
    private static final String ONE_SERVER = "a port belongs to one server";
    private static final String NO_POOLS = "memory is bounded by limits.memory, and not set aside";
    private static final String SETTINGS =
        "the setting limits.idle_timeout closes silent connections";
    private static final String PINGS = "clients may send PINGs until they flood the server";
    private static final String AGE = "connections have no age; a drain ends them";

    private Reason() {}
  }

  private final Kind kind;
  private final String text;

  TritonFlag(Kind kind, String text) {
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

  @Override
  public String flag() {
    return CompatFlag.super.flag().replace('_', '-');
  }
}
