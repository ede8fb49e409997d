package dev.sluice.transport;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.security.Pem;
import dev.sluice.config.security.TlsConfig;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encryption of a listener: TLS 1.3 and 1.2, by OpenSSL where it is there, with suites only that
 * are forward secret and authenticate what they encrypt.
 */
public final class Tls {
  private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

  private static final String TLS_1_3 = "TLSv1.3";
  private static final String TLS_1_2 = "TLSv1.2";

  private static final List<String> SUITES =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  private Tls() {}

  /**
   * Reads the files before anything is opened, and checks them. Warns if there is no OpenSSL here.
   * Blocks on the file system.
   *
   * @return the same with texts instead of files
   * @throws ConfigException naming the file and what is wrong with it
   */
  public static TlsConfig load(TlsConfig tls, Vertx vertx) {
    TlsConfig loaded = Certificates.read(tls);
    Certificates.check(loaded, vertx);
    if (!OpenSSLEngineOptions.isAvailable()) {
      LOG.warn("OpenSSL cannot be loaded here; TLS is done by the JDK, which is slower");
    }
    return loaded;
  }

  static void apply(TlsConfig tls, HttpServerOptions options) {
    options.setSsl(true).setUseAlpn(true).setSslEngineOptions(engine());
    configure(tls, options.getSslOptions());
  }

  /** Returns the TLS options of new connections. */
  static ServerSSLOptions options(TlsConfig tls) {
    return configure(tls, new ServerSSLOptions().setUseAlpn(true));
  }

  private static ServerSSLOptions configure(TlsConfig tls, ServerSSLOptions options) {
    options
        .setEnabledSecureTransportProtocols(
            tls.onlyTls13() ? Set.of(TLS_1_3) : Set.of(TLS_1_2, TLS_1_3))
        .setKeyCertOptions(keyAndCertificate(tls));
    SUITES.forEach(options::addEnabledCipherSuite);
    tls.clientCa()
        .ifPresent(authorities ->
            options.setClientAuth(ClientAuth.REQUIRED).setTrustOptions(trusted(authorities)));
    return options;
  }

  static PemKeyCertOptions keyAndCertificate(TlsConfig tls) {
    var options = new PemKeyCertOptions();
    switch (tls.certificate()) {
      case Pem.InFile(Path path) -> options.setCertPath(path.toString());
      case Pem.Written written -> options.setCertValue(value(written));
    }
    switch (tls.key()) {
      case Pem.InFile(Path path) -> options.setKeyPath(path.toString());
      case Pem.Written written -> options.setKeyValue(value(written));
    }
    return options;
  }

  private static PemTrustOptions trusted(Pem authorities) {
    return switch (authorities) {
      case Pem.InFile(Path path) -> new PemTrustOptions().addCertPath(path.toString());
      case Pem.Written written -> new PemTrustOptions().addCertValue(value(written));
    };
  }

  private static Buffer value(Pem.Written pem) {
    return Buffer.buffer(pem.text(), StandardCharsets.ISO_8859_1.name());
  }

  private static SSLEngineOptions engine() {
    return OpenSSLEngineOptions.isAvailable()
        ? new OpenSSLEngineOptions()
        : new JdkSSLEngineOptions();
  }
}
