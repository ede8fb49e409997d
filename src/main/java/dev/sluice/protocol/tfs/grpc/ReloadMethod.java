package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.DesiredModel;
import dev.sluice.inference.control.LoadFailure;
import dev.sluice.inference.control.VersionChoice;
import dev.sluice.protocol.tfs.grpc.proto.FileSystemStoragePathSourceConfig.ServableVersionPolicy;
import dev.sluice.protocol.tfs.grpc.proto.LoggingConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelConfig;
import dev.sluice.protocol.tfs.grpc.proto.ModelType;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigRequest;
import dev.sluice.protocol.tfs.grpc.proto.ReloadConfigResponse;
import dev.sluice.protocol.tfs.grpc.proto.StatusProto;
import dev.sluice.protocol.tfs.requestlog.RequestLogs;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.transport.Body;
import dev.sluice.transport.grpc.method.GrpcCall;
import dev.sluice.transport.grpc.method.GrpcMethod;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * HandleReloadConfigRequest: replaces the models that are served, and waits for the new ones.
 *
 * <p>The set in the request replaces the desired state as one step. The call is answered when each
 * new model serves or has failed.
 */
record ReloadMethod(ControlPlane control, Telemetry telemetry, RequestLogs logs)
    implements GrpcMethod {
  /** Work of a worker: metrics are counted up for it. */
  private static final long MUCH = Integer.MAX_VALUE;

  /**
   * @param logs which requests are logged, by model
   * @param metrics whose increase the caller wants to know
   * @param before their values when the call began
   */
  private record Wanted(
      List<DesiredModel> models,
      Map<String, RequestLogs.Wanted> logs,
      List<String> metrics,
      Map<String, Long> before) {}

  @Override
  public Future<Buffer> answer(GrpcCall call, Body message) {
    return call.compute(MUCH, () -> read(message))
        .compose(wanted ->
            control
                .serve(wanted.models(), call.caller())
                .compose(failures -> call.compute(MUCH, () -> respond(failures, wanted))));
  }

  private Map<String, Long> values(List<String> metrics) {
    return metrics.isEmpty() ? Map.of() : telemetry.firstValues();
  }

  private Wanted read(Body message) {
    var request = TfsMessages.read("ReloadConfigRequest", ReloadConfigRequest.parser(), message);
    if (!request.getConfig().hasModelConfigList()) {
      throw InferenceException.invalid(
          "ServerModelConfig type not supported by HandleReloadConfigRequest."
              + " Only ModelConfigList is currently supported");
    }
    List<DesiredModel> models =
        request.getConfig().getModelConfigList().getConfigList().stream()
            .map(ReloadMethod::wanted)
            .toList();
    Map<String, RequestLogs.Wanted> logged = new HashMap<>();
    request.getConfig().getModelConfigList().getConfigList().stream()
        .filter(ModelConfig::hasLoggingConfig)
        .forEach(config -> logged.put(config.getName(), wanted(config.getLoggingConfig())));
    logs.require(logged, true);
    List<String> metrics = request.getMetricNamesList();
    return new Wanted(models, logged, metrics, values(metrics));
  }

  private static RequestLogs.Wanted wanted(LoggingConfig config) {
    return new RequestLogs.Wanted(
        config.getLogCollectorConfig().getType(),
        config.getLogCollectorConfig().getFilenamePrefix(),
        config.getSamplingConfig().getSamplingRate());
  }

  private static DesiredModel wanted(ModelConfig config) {
    return new DesiredModel(
        config.getName(),
        config.getBasePath(),
        config.getModelPlatform(),
        type(config),
        versions(config.getModelVersionPolicy()),
        config.getVersionLabelsMap());
  }

  private static String type(ModelConfig config) {
    return config.getModelTypeValue() == ModelType.MODEL_TYPE_UNSPECIFIED_VALUE
        ? ""
        : config.getModelType().name();
  }

  private static Optional<VersionChoice> versions(ServableVersionPolicy policy) {
    return switch (policy.getPolicyChoiceCase()) {
      case LATEST ->
          // A number of 32 bits without sign: more than there are is all.
          Optional.of(
              new VersionChoice.Latest(
                  policy.getLatest().getNumVersions() < 0
                      ? Integer.MAX_VALUE
                      : policy.getLatest().getNumVersions()));
      case ALL -> Optional.of(new VersionChoice.All());
      case SPECIFIC ->
          Optional.of(
              new VersionChoice.Specific(new HashSet<>(policy.getSpecific().getVersionsList())));
      case POLICYCHOICE_NOT_SET -> Optional.empty();
    };
  }

  private Buffer respond(List<LoadFailure> failures, Wanted wanted) {
    if (!failures.isEmpty()) {
      throw new InferenceException(ErrorCode.UNKNOWN, text(failures));
    }
    logs.update(wanted.logs());
    var response = ReloadConfigResponse.newBuilder().setStatus(StatusProto.getDefaultInstance());
    Map<String, Long> now = values(wanted.metrics());
    for (String metric : wanted.metrics()) {
      String name = Telemetry.pageName(metric);
      long increase = now.getOrDefault(name, 0L) - wanted.before().getOrDefault(name, 0L);
      response.addMetricBuilder().setName(metric).setInt64ValueIncrease(increase);
    }
    return TfsMessages.write(response.build());
  }

  private static String text(List<LoadFailure> failures) {
    var text = new StringBuilder();
    text.append(failures.size()).append(" model(s) did not become available: {");
    for (LoadFailure failure : failures) {
      text.append("{{name: ").append(failure.model());
      failure.version().ifPresent(version -> text.append(" version: ").append(version));
      text.append("} due to error: ").append(failure.why().message()).append("}, ");
    }
    return text.append('}').toString();
  }
}
