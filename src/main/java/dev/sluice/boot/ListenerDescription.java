package dev.sluice.boot;

import dev.sluice.boot.cli.VersionText;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.V1Dialect;
import dev.sluice.ops.ConsoleHandler;
import dev.sluice.ops.openapi.ApiPart;
import dev.sluice.ops.openapi.CredentialKind;
import dev.sluice.ops.openapi.DescribedListener;
import java.util.EnumSet;
import java.util.Set;

/** Says for API documents what a listener carries, and which credentials it looks for. */
final class ListenerDescription {
  private ListenerDescription() {}

  /**
   * Describes a listener.
   *
   * @param sharesMemory whether shared memory is served
   * @param audience who gets the console
   */
  static DescribedListener of(
      ListenerConfig listener,
      SluiceConfig config,
      boolean sharesMemory,
      ConsoleHandler.Audience audience) {
    Set<ApiPart> parts = EnumSet.noneOf(ApiPart.class);
    for (ListenerConfig.Protocol protocol : listener.protocols()) {
      switch (protocol) {
        case TFS -> addIf(listener.v1() != V1Dialect.KSERVE, ApiPart.TFS, parts);
        case KSERVE -> addIf(listener.v1() != V1Dialect.TENSORFLOW, ApiPart.KSERVE, parts);
        case OIP -> {
          parts.add(ApiPart.OIP);
          addIf(sharesMemory, ApiPart.SHARED_MEMORY, parts);
        }
        case GRPS -> parts.add(ApiPart.GRPS);
        case METRICS -> parts.add(ApiPart.METRICS);
        case OPENAI -> parts.add(ApiPart.OPENAI);
        case BRPC -> {}
      }
    }
    addIf(audience != ConsoleHandler.Audience.NONE, ApiPart.CONSOLE, parts);
    return new DescribedListener(
        VersionText.number(), parts, listener.metricsPath(), credentials(listener, config));
  }

  private static void addIf(boolean carried, ApiPart part, Set<ApiPart> parts) {
    if (carried) {
      parts.add(part);
    }
  }

  private static Set<CredentialKind> credentials(ListenerConfig listener, SluiceConfig config) {
    Set<CredentialKind> kinds = EnumSet.noneOf(CredentialKind.class);
    SecurityConfig security = config.security();
    if (security.apiKeys().isPresent()) {
      kinds.add(CredentialKind.API_KEY);
      kinds.add(CredentialKind.BEARER);
    }
    if (security.jwt().isPresent()) {
      kinds.add(CredentialKind.BEARER);
    }
    if (listener.tls().flatMap(TlsConfig::clientCa).isPresent()) {
      kinds.add(CredentialKind.CERTIFICATE);
    }
    return kinds;
  }
}
