package dev.sluice.security;

import dev.sluice.config.SecurityConfig;
import io.vertx.core.Vertx;
import java.util.List;

/** Recognises the kinds of credentials that the settings name. Made and closed by one thread. */
public final class Authenticators implements AutoCloseable {
  private final ReloadedFiles files;
  private final List<Authenticator> all;

  private Authenticators(ReloadedFiles files, List<Authenticator> all) {
    this.files = files;
    this.all = all;
  }

  /**
   * Reads the keys, and keeps looking for changes. Blocks on the file system.
   *
   * @throws dev.sluice.config.ConfigException naming the file that is missing or broken
   */
  public static Authenticators start(SecurityConfig security, Vertx vertx) {
    var files = new ReloadedFiles(vertx);
    List<Authenticator> all =
        security.apiKeys().isPresent()
            ? List.of(new BearerAuthenticator(ApiKeys.of(security.apiKeys(), files)))
            : List.of();
    files.start();
    return new Authenticators(files, all);
  }

  /** The kinds of credentials, in order: the first that is presented counts. */
  public List<Authenticator> all() {
    return all;
  }

  @Override
  public void close() {
    files.close();
  }
}
