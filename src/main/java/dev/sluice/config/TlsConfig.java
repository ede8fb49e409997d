package dev.sluice.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a listener encrypts. All is PEM.
 *
 * @param certificate the server's certificate and those that lead to its authority
 * @param key the certificate's private key, without a password
 * @param clientCa authorities of which every client must show a certificate; empty: clients need
 *     none
 */
public record TlsConfig(Pem certificate, Pem key, Optional<Pem> clientCa) {
  /** With everything in files. */
  public TlsConfig(Path certificate, Path key, Optional<Path> clientCa) {
    this(new Pem.InFile(certificate), new Pem.InFile(key), clientCa.map(Pem.InFile::new));
  }

  static TlsConfig read(Section tls) {
    return new TlsConfig(
        file(tls, "certificate"), file(tls, "key"), tls.text("client_ca").map(Path::of));
  }

  private static Path file(Section tls, String key) {
    return tls.text(key)
        .map(Path::of)
        .orElseThrow(() -> tls.error("has no " + key + "; wanted a PEM file"));
  }
}
