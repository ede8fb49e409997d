package dev.sluice.config;

import java.util.Optional;

/**
 * What the grps protocol leaves to the server.
 *
 * @param defaultModel the model that is meant when a request names none; empty: the only model, if
 *     there is only one
 * @param onlineAtStart whether the server is online for load balancers before anyone puts it online
 * @param streamingCtrl how a request over HTTP says that it wants a stream
 */
public record GrpsConfig(
    Optional<String> defaultModel, boolean onlineAtStart, StreamControlConfig streamingCtrl) {
  public static final GrpsConfig DEFAULT =
      new GrpsConfig(Optional.empty(), false, StreamControlConfig.DEFAULT);

  static GrpsConfig read(Section grps) {
    return new GrpsConfig(
        grps.text("default_model"),
        grps.flag("online_at_start", DEFAULT.onlineAtStart),
        grps.section("streaming_ctrl", StreamControlConfig::read));
  }
}
