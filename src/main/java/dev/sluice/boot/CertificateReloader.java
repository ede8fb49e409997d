package dev.sluice.boot;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.transport.Certificates;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates and key of one listener, put to use again when their files have changed and then
 * stood still between two looks: certificate and key are seldom written at once. Files that cannot
 * be used are logged once, and what was loaded before stays. Used by one worker at a time.
 */
final class CertificateReloader {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateReloader.class);

  /** The content of the files, or the reason why they cannot be read. */
  private record Reading(Optional<TlsConfig> tls, String failure) {}

  private final TlsConfig files;
  private final Consumer<TlsConfig> check;
  private final Function<TlsConfig, Future<?>> use;
  private final CertificateExpiry expiry;
  private Reading seen;
  private Reading handled;

  /**
   * @param files where they are
   * @param loaded what was in the files when the listener opened
   * @param check throws a {@link ConfigException} if they cannot be used
   * @param use makes the listener use them for new connections
   * @param expiry is to know which certificate is in use
   */
  CertificateReloader(
      TlsConfig files,
      TlsConfig loaded,
      Consumer<TlsConfig> check,
      Function<TlsConfig, Future<?>> use,
      CertificateExpiry expiry) {
    this.files = files;
    this.check = check;
    this.use = use;
    this.expiry = expiry;
    this.seen = new Reading(Optional.of(loaded), "");
    this.handled = seen;
    expiry.uses(Certificates.validUntil(loaded));
  }

  /** Returns until when the certificate in use is valid. */
  CertificateExpiry expiry() {
    return expiry;
  }

  /** From one look to the next; zero: there is none. */
  Duration interval() {
    return files.reloadInterval();
  }

  /** Looks into the files. Blocks. */
  void look() {
    expiry.look();
    Reading now = read();
    boolean steady = now.equals(seen);
    seen = now;
    if (steady && !now.equals(handled)) {
      handled = now;
      now.tls().ifPresentOrElse(this::change, () -> refuse(now.failure()));
    }
  }

  private Reading read() {
    try {
      return new Reading(Optional.of(Certificates.read(files)), "");
    } catch (ConfigException e) {
      return new Reading(Optional.empty(), String.valueOf(e.getMessage()));
    }
  }

  private void change(TlsConfig tls) {
    try {
      check.accept(tls);
    } catch (ConfigException e) {
      refuse(String.valueOf(e.getMessage()));
      return;
    }
    use.apply(tls)
        .onSuccess(_ -> {
          LOG.info("new connections get {}", Certificates.describe(tls));
          expiry.uses(Certificates.validUntil(tls));
        })
        .onFailure(e -> refuse(String.valueOf(e.getMessage())));
  }

  private static void refuse(String why) {
    LOG.warn("{}; the certificates that were loaded before stay", why);
  }
}
