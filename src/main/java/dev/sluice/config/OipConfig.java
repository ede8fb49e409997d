package dev.sluice.config;

/**
 * What the Open Inference Protocol leaves to the server.
 *
 * @param serverName what server metadata calls it; Triton's clients look for {@code triton}
 */
public record OipConfig(String serverName) {
  public static final OipConfig DEFAULT = new OipConfig("sluice");

  static OipConfig read(Section oip) {
    return new OipConfig(oip.text("server_name").orElse(DEFAULT.serverName));
  }
}
