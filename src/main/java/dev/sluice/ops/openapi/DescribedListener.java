package dev.sluice.ops.openapi;

import java.util.Set;

/**
 * The listener that documents are about.
 *
 * @param version of the server
 * @param parts what it carries
 * @param metricsPath where its page for Prometheus is, if it has one
 * @param credentials what it looks for in requests
 */
public record DescribedListener(
    String version, Set<ApiPart> parts, String metricsPath, Set<CredentialKind> credentials) {
  public DescribedListener {
    parts = Set.copyOf(parts);
    credentials = Set.copyOf(credentials);
  }

  boolean carries(ApiPart part) {
    return parts.contains(part);
  }
}
