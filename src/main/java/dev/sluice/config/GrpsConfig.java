package dev.sluice.config;

import java.util.Optional;

/**
 * What the grps protocol leaves to the server.
 *
 * @param defaultModel the model that is meant when a request names none; empty: the only model, if
 *     there is only one
 * @param onlineAtStart whether the server is online for load balancers before anyone puts it online
 */
public record GrpsConfig(Optional<String> defaultModel, boolean onlineAtStart) {
  public static final GrpsConfig DEFAULT = new GrpsConfig(Optional.empty(), false);

  static GrpsConfig read(Section grps) {
    return new GrpsConfig(
        grps.text("default_model"), grps.flag("online_at_start", DEFAULT.onlineAtStart));
  }
}
