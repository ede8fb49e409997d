package dev.sluice.transport;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.security.Pem;
import dev.sluice.config.security.TlsConfig;
import io.vertx.core.Vertx;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

/**
 * Certificates and keys as they are in files, and whether a listener can use them. Blocks.
 *
 * <p>Checked when they are read, at start and at each rotation.
 */
public final class Certificates {
  /**
   * The signature algorithm of each kind of key, to check whether a certificate's key can verify
   * it.
   */
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

  private Certificates() {}

  /**
   * Reads what is in files.
   *
   * @return the same with texts instead of files; equal texts make it equal
   * @throws ConfigException naming the file that cannot be read
   */
  public static TlsConfig read(TlsConfig tls) {
    return new TlsConfig(
        read(tls.certificate()),
        read(tls.key()),
        tls.clientCa().map(Certificates::read),
        tls.onlyTls13(),
        tls.reloadInterval());
  }

  private static Pem read(Pem pem) {
    return new Pem.Written(pem.toString(), text(pem));
  }

  private static String text(Pem pem) {
    return switch (pem) {
      case Pem.Written(var _, String text) -> text;
      case Pem.InFile(Path path) -> text(path);
    };
  }

  private static String text(Path path) {
    try {
      return Files.readString(path, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new ConfigException(path + ": no such file");
    } catch (IOException e) {
      throw new ConfigException(path + ": cannot be read: " + e.getMessage());
    }
  }

  /**
   * Checks that there are certificates, and that the key is that of the server's.
   *
   * @throws ConfigException naming the file and what is wrong with it
   */
  public static void check(TlsConfig tls, Vertx vertx) {
    Collection<? extends Certificate> chain = certificates(tls.certificate());
    tls.clientCa().ifPresent(Certificates::certificates);
    requireKey(tls.key());
    PublicKey own = chain.iterator().next().getPublicKey();
    try {
      requireMatch(tls, own, privateKey(tls, own, vertx));
    } catch (ConfigException e) {
      throw e;
    } catch (Exception e) { // The reader of PEM declares to throw anything.
      throw new ConfigException(
          tls.key()
              + ": holds no private key for the certificate in "
              + tls.certificate()
              + ": "
              + e.getMessage());
    }
  }

  /**
   * Returns until when the server's certificate is valid; empty if it is of a kind that does not
   * say.
   */
  public static Optional<Instant> validUntil(TlsConfig tls) {
    return certificates(tls.certificate()).iterator().next() instanceof X509Certificate own
        ? Optional.of(own.getNotAfter().toInstant())
        : Optional.empty();
  }

  /** Returns the server's certificate, for the log. */
  public static String describe(TlsConfig tls) {
    return certificates(tls.certificate()).iterator().next() instanceof X509Certificate own
        ? own.getSubjectX500Principal().getName() + ", valid until " + own.getNotAfter().toInstant()
        : tls.certificate().toString();
  }

  private static Collection<? extends Certificate> certificates(Pem pem) {
    try {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(text(pem).getBytes(StandardCharsets.ISO_8859_1)));
      if (all.isEmpty()) {
        throw new ConfigException(pem + ": holds no certificate; wanted PEM");
      }
      return all;
    } catch (CertificateException e) {
      throw new ConfigException(pem + ": holds no certificate that can be read: " + e.getMessage());
    }
  }

  private static void requireKey(Pem key) {
    String text = text(key);
    if (!text.contains("PRIVATE KEY-----") || text.contains("ENCRYPTED")) {
      throw new ConfigException(key + ": holds no private key; wanted PEM without a password");
    }
  }

  private static PrivateKey privateKey(TlsConfig tls, PublicKey own, Vertx vertx) throws Exception {
    KeyManager[] managers = Tls.keyAndCertificate(tls).getKeyManagerFactory(vertx).getKeyManagers();
    return Arrays.stream(managers)
        .filter(X509KeyManager.class::isInstance)
        .map(X509KeyManager.class::cast)
        .map(keys -> keys.getPrivateKey(keys.chooseServerAlias(own.getAlgorithm(), null, null)))
        .findFirst()
        .orElseThrow(() -> new GeneralSecurityException("no key of kind " + own.getAlgorithm()));
  }

  private static void requireMatch(TlsConfig tls, PublicKey own, PrivateKey key)
      throws GeneralSecurityException {
    String algorithm = SIGNATURES.get(own.getAlgorithm());
    if (algorithm == null) {
      return;
    }
    byte[] text = "sluice".getBytes(StandardCharsets.US_ASCII);
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update(text);
    byte[] signed = signature.sign();
    signature.initVerify(own);
    signature.update(text);
    if (!signature.verify(signed)) {
      throw new ConfigException(
          tls.key() + ": is not the key of the certificate in " + tls.certificate());
    }
  }
}
