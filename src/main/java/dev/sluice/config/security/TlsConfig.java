package dev.sluice.config.security;

import dev.sluice.config.binding.Section;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * TLS of a listener. All is PEM.
 *
 * @param certificate PEM file with the server's certificate, followed by those that lead to its
 *     authority
 * @param key PEM file with the certificate's private key, without a password
 * @param clientCa PEM file of authorities; every client must show a certificate of one of them.
 *     Empty: clients need none
 * @param onlyTls13 lowest version of TLS: 1.2 or 1.3. Cipher suites are ECDHE with AEAD only
 * @param reloadInterval interval at which the files are read again; 0s: never. New files serve new
 *     connections once two reads are equal; files that cannot be used change nothing but the log
 */
public record TlsConfig(
    Pem certificate, Pem key, Optional<Pem> clientCa, boolean onlyTls13, Duration reloadInterval) {
  private static final Pattern VERSION = Pattern.compile("1\\.[23]");
  private static final Duration RELOAD_INTERVAL = Duration.ofSeconds(10);

  /** With TLS 1.2 too, and files that are read again. */
  public TlsConfig(Pem certificate, Pem key, Optional<Pem> clientCa) {
    this(certificate, key, clientCa, false, RELOAD_INTERVAL);
  }

  /** With everything in files. */
  public TlsConfig(Path certificate, Path key, Optional<Path> clientCa) {
    this(new Pem.InFile(certificate), new Pem.InFile(key), clientCa.map(Pem.InFile::new));
  }

  /** Reads the settings of a listener's TLS. */
  public static TlsConfig read(Section tls) {
    return new TlsConfig(
        new Pem.InFile(file(tls, "certificate")),
        new Pem.InFile(file(tls, "key")),
        tls.text("client_ca").map(Path::of).map(Pem.InFile::new),
        tls.single("min_version", "1.2 or 1.3", "1.2")
            .map(version -> version.matching(VERSION, "1.2 or 1.3"))
            .filter("1.3"::equals)
            .isPresent(),
        tls.duration("reload_interval", RELOAD_INTERVAL));
  }

  private static Path file(Section tls, String key) {
    return tls.text(key).map(Path::of).orElseThrow(() -> tls.missing(key, "a PEM file"));
  }
}
