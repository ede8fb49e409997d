package dev.sluice.security;

import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.JwtConfig;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.ListenerConfig;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Recognises the kinds of credentials that the settings name. Made and closed by one thread.
 *
 * <p>The first credential that is present decides; one that is not valid rejects the request, also
 * if another one would have been.
 */
public final class Authenticators implements AutoCloseable {
  private final ReloadedFiles files;
  private Optional<JwksEndpoint> fetched = Optional.empty();
  private final List<Authenticator> bearer;
  private final boolean unixPeers;

  private Authenticators(SecurityConfig security, Vertx vertx) {
    this.files = new ReloadedFiles(vertx);
    this.bearer = bearer(security, vertx);
    this.unixPeers = security.policies().stream().anyMatch(PolicyConfig::namesUnixPeers);
  }

  /**
   * Reads the keys, and keeps looking for changes. Blocks on the file system.
   *
   * @throws dev.sluice.config.binding.ConfigException naming the file that is missing or broken
   */
  public static Authenticators start(SecurityConfig security, Vertx vertx) {
    var authenticators = new Authenticators(security, vertx);
    authenticators.files.start();
    return authenticators;
  }

  private List<Authenticator> bearer(SecurityConfig security, Vertx vertx) {
    Optional<ApiKeys> keys =
        Optional.of(security.apiKeys())
            .filter(ApiKeysConfig::isPresent)
            .map(config -> ApiKeys.of(config, files));
    Optional<JsonWebTokens> tokens =
        Optional.of(security.jwt())
            .filter(JwtConfig::isPresent)
            .map(
                config -> new JsonWebTokens(config, source(config, vertx), InstantSource.system()));
    return keys.isPresent() || tokens.isPresent()
        ? List.of(new BearerAuthenticator(keys, tokens))
        : List.of();
  }

  private TokenKeySource source(JwtConfig config, Vertx vertx) {
    if (config.keys().isPresent()) {
      Path file = config.keys().get();
      return TokenKeySource.of(files.keep(file, text -> TokenKeys.parse(file.toString(), text)));
    }
    var address =
        new JwksEndpoint(vertx, config.jwksUrl().orElseThrow(), config.refresh(), System::nanoTime);
    fetched = Optional.of(address);
    return address;
  }

  /**
   * Returns the kinds of credentials that a listener accepts, in order: the first that is presented
   * counts, and what a request presents before what its connection does.
   */
  public List<Authenticator> of(ListenerConfig listener) {
    List<Authenticator> known = new ArrayList<>(bearer);
    if (listener.tls().flatMap(TlsConfig::clientCa).isPresent()) {
      known.add(new CertificateAuthenticator(InstantSource.system()));
    }
    if (listener.socket().isPresent() && unixPeers) {
      known.add(new UnixPeerAuthenticator());
    }
    return known;
  }

  @Override
  public void close() {
    files.close();
    fetched.ifPresent(JwksEndpoint::close);
  }
}
