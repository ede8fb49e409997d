package dev.sluice.boot;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.ops.ConnectionMetrics;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Until when a listener's certificate is valid: shown as a metric, and logged once when it has
 * expired. Clients refuse it then; the server goes on with it, since it has no other. Any thread.
 */
final class CertificateExpiry implements ConnectionMetrics.Expiry {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateExpiry.class);

  private final String listener;
  private final InstantSource clock;

  @GuardedBy("this")
  private @Nullable Instant validUntil;

  @GuardedBy("this")
  private boolean isLogged;

  CertificateExpiry(String listener, InstantSource clock) {
    this.listener = listener;
    this.clock = clock;
  }

  /** The listener uses a certificate that is valid until then. */
  void uses(Optional<Instant> until) {
    synchronized (this) {
      validUntil = until.orElse(null);
      isLogged = false;
    }
    look();
  }

  /** Logs that it has expired, once. */
  synchronized void look() {
    Instant until = validUntil;
    if (until == null || isLogged || clock.instant().isBefore(until)) {
      return;
    }
    isLogged = true;
    LOG.atWarn()
        .addKeyValue("listener", listener)
        .addKeyValue("valid_until", until)
        .log("the certificate has expired: clients refuse it");
  }

  @Override
  public String listener() {
    return listener;
  }

  @Override
  public synchronized Optional<Instant> validUntil() {
    return Optional.ofNullable(validUntil);
  }
}
