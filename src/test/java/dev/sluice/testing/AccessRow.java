package dev.sluice.testing;

import dev.sluice.inference.access.Operation;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A request over HTTP, and what a caller needs the right to.
 *
 * @param path names the model half_plus_two where it names one
 */
public record AccessRow(String method, String path, Operation operation) {
  private static final String MODEL_V1 = "/v1/models/half_plus_two";
  private static final String MODEL_V2 = "/v2/models/half_plus_two";
  private static final String REPOSITORY = "/v2/repository/models/half_plus_two";

  /** A region of shared memory. */
  public static final String REGION = "region_1";

  private static final String GRPS_SERVICE = "grps.protos.v1.GrpsService/";

  /** Each kind of path of a listener of all protocols, where memory is shared too. */
  public static final List<AccessRow> HTTP =
      Stream.of(
              List.of(
                  get("/", Operation.HEALTH),
                  get("/console.json", Operation.CONSOLE),
                  get("/console/history.json", Operation.CONSOLE),
                  get("/console/model.json", Operation.CONSOLE),
                  get("/metrics", Operation.METRICS)),
              documents(),
              List.of(
                  get("/v1/models", Operation.REPOSITORY_INDEX),
                  get(MODEL_V1, Operation.MODEL_METADATA),
                  get(MODEL_V1 + "/metadata", Operation.MODEL_METADATA),
                  post(MODEL_V1 + ":predict", Operation.INFER),
                  post(MODEL_V1 + ":classify", Operation.INFER),
                  post(MODEL_V1 + ":regress", Operation.INFER),
                  post(MODEL_V1 + ":explain", Operation.EXPLAIN)),
              List.of(
                  post("/v1/completions", Operation.INFER),
                  post("/openai/v1/completions", Operation.INFER),
                  post("/v1/chat/completions", Operation.INFER),
                  post("/openai/v1/chat/completions", Operation.INFER),
                  post("/v1/responses", Operation.INFER),
                  post("/openai/v1/responses", Operation.INFER),
                  post("/v1/embeddings", Operation.INFER),
                  post("/openai/v1/embeddings", Operation.INFER),
                  post("/v1/rerank", Operation.INFER),
                  post("/v2/rerank", Operation.INFER),
                  post("/rerank", Operation.INFER),
                  post("/openai/v1/rerank", Operation.INFER),
                  post("/tokenize", Operation.INFER),
                  post("/detokenize", Operation.INFER),
                  post("/v1/tokenize", Operation.INFER),
                  post("/v1/detokenize", Operation.INFER),
                  post("/openai/v1/tokenize", Operation.INFER),
                  post("/openai/v1/detokenize", Operation.INFER),
                  get("/openai/v1/models", Operation.REPOSITORY_INDEX),
                  get("/openai/v1/models/half_plus_two", Operation.MODEL_METADATA)),
              List.of(
                  get("/v2", Operation.SERVER_METADATA),
                  get("/v2/health/live", Operation.HEALTH),
                  get("/v2/health/ready", Operation.HEALTH),
                  get("/v2/models", Operation.REPOSITORY_INDEX),
                  get("/v2/models/stats", Operation.STATISTICS),
                  get("/v2/logging", Operation.LOGGING),
                  post("/v2/logging", Operation.LOGGING),
                  get("/v2/trace/setting", Operation.TRACING),
                  post("/v2/trace/setting", Operation.TRACING),
                  post("/v2/repository/index", Operation.REPOSITORY_INDEX),
                  post(REPOSITORY + "/load", Operation.LOAD),
                  post(REPOSITORY + "/unload", Operation.UNLOAD)),
              List.of(
                  get(MODEL_V2, Operation.MODEL_METADATA),
                  get(MODEL_V2 + "/ready", Operation.MODEL_READY),
                  get(MODEL_V2 + "/config", Operation.MODEL_CONFIG),
                  get(MODEL_V2 + "/stats", Operation.MODEL_STATISTICS),
                  post(MODEL_V2 + "/infer", Operation.INFER),
                  post(MODEL_V2 + "/generate", Operation.INFER),
                  post(MODEL_V2 + "/generate_stream", Operation.INFER),
                  get(MODEL_V2 + "/trace/setting", Operation.TRACING),
                  post(MODEL_V2 + "/trace/setting", Operation.TRACING)),
              shared("system"),
              shared("cuda"),
              anyhow("/grps/v1/health/live", Operation.HEALTH),
              anyhow("/grps/v1/health/ready", Operation.HEALTH),
              anyhow("/grps/v1/metadata/server", Operation.SERVER_METADATA),
              anyhow("/grps/v1/health/online", Operation.ONLINE),
              anyhow("/grps/v1/health/offline", Operation.OFFLINE),
              List.of(
                  get("//grps//v1//health//online", Operation.ONLINE),
                  post("/grps/v1/metadata/model", Operation.MODEL_METADATA),
                  post("/grps/v1/infer/predict", Operation.INFER),
                  get("/grps/v1/monitor/metrics", Operation.CONSOLE),
                  get("/grps/v1/monitor/series", Operation.CONSOLE)))
          .flatMap(List::stream)
          .toList();

  /** Paths that {@link MatrixServer} has besides: a model's own, and another one for grps. */
  public static final List<AccessRow> OWN =
      List.of(
          get(MatrixServer.PLUGIN_PATH + "?text", Operation.INFER),
          post(MatrixServer.PLUGIN_PATH + "?whole", Operation.INFER),
          post(MatrixServer.GRPS_PATH, Operation.INFER));

  /** Those of both. */
  public static final List<AccessRow> ALL = Stream.concat(OWN.stream(), HTTP.stream()).toList();

  /** Methods of gRPC, and what a caller needs the right to. */
  public static final Map<String, Operation> GRPC =
      Map.ofEntries(
          Map.entry("grps.protos.v1.GrpsService/CheckLiveness", Operation.HEALTH),
          Map.entry("grps.protos.v1.GrpsService/CheckReadiness", Operation.HEALTH),
          Map.entry("grps.protos.v1.GrpsService/ModelMetadata", Operation.MODEL_METADATA),
          Map.entry("grps.protos.v1.GrpsService/Offline", Operation.OFFLINE),
          Map.entry("grps.protos.v1.GrpsService/Online", Operation.ONLINE),
          Map.entry("grps.protos.v1.GrpsService/Predict", Operation.INFER),
          Map.entry("grps.protos.v1.GrpsService/PredictStreaming", Operation.INFER),
          Map.entry("grps.protos.v1.GrpsService/ServerMetadata", Operation.SERVER_METADATA),
          Map.entry("inference.GRPCInferenceService/LogSettings", Operation.LOGGING),
          Map.entry("inference.GRPCInferenceService/ModelConfig", Operation.MODEL_CONFIG),
          Map.entry("inference.GRPCInferenceService/ModelInfer", Operation.INFER),
          Map.entry("inference.GRPCInferenceService/ModelMetadata", Operation.MODEL_METADATA),
          Map.entry("inference.GRPCInferenceService/ModelReady", Operation.MODEL_READY),
          Map.entry("inference.GRPCInferenceService/ModelStatistics", Operation.MODEL_STATISTICS),
          Map.entry("inference.GRPCInferenceService/ModelStreamInfer", Operation.INFER),
          Map.entry("inference.GRPCInferenceService/RepositoryIndex", Operation.REPOSITORY_INDEX),
          Map.entry("inference.GRPCInferenceService/RepositoryModelLoad", Operation.LOAD),
          Map.entry("inference.GRPCInferenceService/RepositoryModelUnload", Operation.UNLOAD),
          Map.entry(
              "inference.GRPCInferenceService/SystemSharedMemoryStatus", Operation.SHARED_MEMORY),
          Map.entry(
              "inference.GRPCInferenceService/SystemSharedMemoryRegister", Operation.SHARED_MEMORY),
          Map.entry(
              "inference.GRPCInferenceService/SystemSharedMemoryUnregister",
              Operation.SHARED_MEMORY),
          Map.entry(
              "inference.GRPCInferenceService/CudaSharedMemoryStatus", Operation.SHARED_MEMORY),
          Map.entry(
              "inference.GRPCInferenceService/CudaSharedMemoryRegister", Operation.SHARED_MEMORY),
          Map.entry(
              "inference.GRPCInferenceService/CudaSharedMemoryUnregister", Operation.SHARED_MEMORY),
          Map.entry("inference.GRPCInferenceService/ServerLive", Operation.HEALTH),
          Map.entry("inference.GRPCInferenceService/ServerMetadata", Operation.SERVER_METADATA),
          Map.entry("inference.GRPCInferenceService/ServerReady", Operation.HEALTH),
          Map.entry("inference.GRPCInferenceService/TraceSetting", Operation.TRACING),
          Map.entry("tensorflow.serving.ModelService/GetModelStatus", Operation.MODEL_METADATA),
          Map.entry("tensorflow.serving.ModelService/HandleReloadConfigRequest", Operation.RELOAD),
          Map.entry("tensorflow.serving.PredictionService/Classify", Operation.INFER),
          Map.entry(
              "tensorflow.serving.PredictionService/GetModelMetadata", Operation.MODEL_METADATA),
          Map.entry("tensorflow.serving.PredictionService/MultiInference", Operation.INFER),
          Map.entry("tensorflow.serving.PredictionService/Predict", Operation.INFER),
          Map.entry("tensorflow.serving.PredictionService/Regress", Operation.INFER),
          Map.entry("grpc.health.v1.Health/Check", Operation.HEALTH),
          Map.entry(
              "grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Operation.REFLECTION),
          Map.entry(
              "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
              Operation.REFLECTION));

  /** Methods of brpc, and what a caller needs the right to. */
  public static final Map<String, Operation> BRPC =
      GRPC.entrySet().stream()
          .filter(row -> row.getKey().startsWith(GRPS_SERVICE))
          .filter(row -> !row.getKey().endsWith("Streaming"))
          .collect(
              Collectors.toUnmodifiableMap(
                  row -> row.getKey().substring(GRPS_SERVICE.length()), Map.Entry::getValue));

  /** Returns whether it controls or administers the server. */
  public boolean controls() {
    return operation.isControl();
  }

  private static AccessRow get(String path, Operation operation) {
    return new AccessRow("GET", path, operation);
  }

  private static List<AccessRow> shared(String kind) {
    String path = "/v2/" + kind + "sharedmemory";
    return List.of(
        get(path + "/status", Operation.SHARED_MEMORY),
        post(path + "/region/" + REGION + "/register", Operation.SHARED_MEMORY),
        post(path + "/unregister", Operation.SHARED_MEMORY));
  }

  /** By each of the methods that grps' own server takes. */
  private static List<AccessRow> documents() {
    return Stream.of(
            "",
            "/grps.json",
            "/openai.json",
            "/server.json",
            "/v1.json",
            "/v2.json",
            "/page.css",
            "/page.js",
            "/swagger-ui-bundle.js",
            "/swagger-ui.css",
            "/theme.js")
        .map(path -> get("/openapi" + path, Operation.OPENAPI))
        .toList();
  }

  private static List<AccessRow> anyhow(String path, Operation operation) {
    return Stream.of("GET", "POST", "HEAD")
        .map(method -> new AccessRow(method, path, operation))
        .toList();
  }

  private static AccessRow post(String path, Operation operation) {
    return new AccessRow("POST", path, operation);
  }
}
