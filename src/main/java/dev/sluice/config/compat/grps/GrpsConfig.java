package dev.sluice.config.compat.grps;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.model.ModelConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of the grps protocol.
 *
 * @param defaultModel model of requests that name none; empty: the only model, if there is one
 * @param onlineAtStart whether the readiness check succeeds before a caller puts the server online
 * @param streamingCtrl how a request over HTTP says that it wants a stream
 * @param customizedPredictHttp another way to ask for predictions over HTTP
 * @param maxConnections concurrency limit: predictions of grps in flight on one listener, by every
 *     transport; one more gets 503; 0: no limit
 * @param deployment folder with the {@code server.yml} and {@code inference.yml} of grps' own
 *     server. Also {@code --grps DIR}
 */
public record GrpsConfig(
    Optional<String> defaultModel,
    boolean onlineAtStart,
    StreamControlConfig streamingCtrl,
    CustomPredictConfig customizedPredictHttp,
    int maxConnections,
    Optional<GrpsDeployment> deployment) {
  private static final int MOST_CONNECTIONS = 1_000_000;

  public static final GrpsConfig DEFAULT =
      new GrpsConfig(
          Optional.empty(),
          false,
          StreamControlConfig.DEFAULT,
          CustomPredictConfig.DEFAULT,
          0,
          Optional.empty());

  /** Reads the settings of grps. */
  public static GrpsConfig read(Section grps) {
    Optional<GrpsDeployment> deployment = grps.single("deployment").flatMap(GrpsConfig::deployment);
    return new GrpsConfig(
        grps.text("default_model").or(() -> deployment.flatMap(files -> files.models().first())),
        grps.flag("online_at_start", DEFAULT.onlineAtStart),
        grps.section(
            "streaming_ctrl", control -> StreamControlConfig.read(control, control(deployment))),
        grps.section(
            "customized_predict_http",
            custom -> CustomPredictConfig.read(custom, customPredict(deployment))),
        grps.number(
            "max_connections",
            deployment.map(GrpsDeployment::maxConnections).orElse(DEFAULT.maxConnections),
            0,
            MOST_CONNECTIONS),
        deployment);
  }

  /** Returns the stream control of a deployment, or else the usual one. */
  private static StreamControlConfig control(Optional<GrpsDeployment> deployment) {
    return deployment
        .flatMap(GrpsDeployment::customHttp)
        .map(GrpsCustomHttp::streamingCtrl)
        .orElse(DEFAULT.streamingCtrl);
  }

  private static CustomPredictConfig customPredict(Optional<GrpsDeployment> deployment) {
    return deployment
        .flatMap(GrpsDeployment::customHttp)
        .map(http -> new CustomPredictConfig(Optional.of(http.path()), http.customizedBody()))
        .orElse(DEFAULT.customizedPredictHttp);
  }

  private static Optional<GrpsDeployment> deployment(Setting setting) {
    String text = setting.text();
    if (text.indexOf('\0') >= 0) {
      throw setting.wanted("a folder");
    }
    return text.isEmpty() ? Optional.empty() : Optional.of(GrpsDeployment.read(Path.of(text)));
  }

  /** Models that the deployment brings, by name. */
  public Map<String, ListedModel> models() {
    return deployment.map(files -> files.models().listed()).orElse(Map.of());
  }

  /** Returns the settings of the model in a folder, if it has none of its own. */
  public ModelConfig model(Path folder, ModelConfig defaults) {
    return deployment.map(grps -> grps.settings(folder, defaults)).orElse(defaults);
  }
}
