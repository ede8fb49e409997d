package dev.sluice.protocol.grps;

import java.util.Map;

/**
 * The server's description for grps clients beyond its models: settings, and the contents of the
 * files of a deployment that was made for grps' own server.
 *
 * @param defaultModel the model that is meant when a request names none; empty if there is no such
 *     setting
 * @param names models of the deployment by their names without a version
 * @param serverText its files as YAML; empty if there is none
 * @param modelTexts what its files say of each model, as YAML
 */
public record Deployment(
    String defaultModel,
    Map<String, String> names,
    String serverText,
    Map<String, String> modelTexts) {
  /** Returns a server that was set up in its own way. */
  public static Deployment of(String defaultModel) {
    return new Deployment(defaultModel, Map.of(), "", Map.of());
  }
}
