package dev.sluice.transport;

import dev.sluice.config.ConfigException;
import dev.sluice.config.Pem;
import dev.sluice.config.TlsConfig;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SSLEngineOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Encryption of a listener: TLS 1.2 and 1.3, by OpenSSL where it is there. */
public final class Tls {
  private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

  private Tls() {}

  static void apply(TlsConfig tls, HttpServerOptions options) {
    options
        .setSsl(true)
        .setUseAlpn(true)
        .setEnabledSecureTransportProtocols(Set.of("TLSv1.2", "TLSv1.3"))
        .setSslEngineOptions(engine())
        .setKeyCertOptions(keyAndCertificate(tls));
    tls.clientCa()
        .ifPresent(authorities ->
            options.setClientAuth(ClientAuth.REQUIRED).setTrustOptions(trusted(authorities)));
  }

  private static PemKeyCertOptions keyAndCertificate(TlsConfig tls) {
    var options = new PemKeyCertOptions();
    switch (tls.certificate()) {
      case Pem.InFile(Path path) -> options.setCertPath(path.toString());
      case Pem.Written(var _, String text) -> options.setCertValue(Buffer.buffer(text));
    }
    switch (tls.key()) {
      case Pem.InFile(Path path) -> options.setKeyPath(path.toString());
      case Pem.Written(var _, String text) -> options.setKeyValue(Buffer.buffer(text));
    }
    return options;
  }

  private static PemTrustOptions trusted(Pem authorities) {
    return switch (authorities) {
      case Pem.InFile(Path path) -> new PemTrustOptions().addCertPath(path.toString());
      case Pem.Written(var _, String text) ->
          new PemTrustOptions().addCertValue(Buffer.buffer(text));
    };
  }

  private static SSLEngineOptions engine() {
    return OpenSSLEngineOptions.isAvailable()
        ? new OpenSSLEngineOptions()
        : new JdkSSLEngineOptions();
  }

  /**
   * Looks into the files before anything is opened, so that a mistake is told by its file. Warns if
   * there is no OpenSSL here. Blocks on the file system.
   *
   * @throws ConfigException naming the file and what is wrong with it
   */
  public static void check(TlsConfig tls) {
    requireCertificate(tls.certificate());
    requireKey(tls.key());
    tls.clientCa().ifPresent(Tls::requireCertificate);
    if (!OpenSSLEngineOptions.isAvailable()) {
      LOG.warn("OpenSSL cannot be loaded here; TLS is done by the JDK, which is slower");
    }
  }

  private static void requireCertificate(Pem file) {
    try (InputStream pem = open(file)) {
      if (CertificateFactory.getInstance("X.509").generateCertificates(pem).isEmpty()) {
        throw new ConfigException(file + ": holds no certificate; wanted PEM");
      }
    } catch (CertificateException e) {
      throw new ConfigException(
          file + ": holds no certificate that can be read: " + e.getMessage());
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static void requireKey(Pem file) {
    try (InputStream in = open(file)) {
      String pem = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
      if (!pem.contains("PRIVATE KEY-----") || pem.contains("ENCRYPTED")) {
        throw new ConfigException(file + ": holds no private key; wanted PEM without a password");
      }
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static InputStream open(Pem pem) throws IOException {
    return switch (pem) {
      case Pem.InFile(Path path) -> Files.newInputStream(path);
      case Pem.Written(var _, String text) ->
          new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
    };
  }

  private static ConfigException unreadable(Pem file, IOException e) {
    return new ConfigException(
        file
            + (e instanceof NoSuchFileException
                ? ": no such file"
                : ": cannot be read: " + e.getMessage()));
  }
}
