package dev.sluice.ops;

import dev.sluice.telemetry.MetricSource;
import dev.sluice.telemetry.MetricsPage;
import dev.sluice.telemetry.MetricsPage.Kind;
import dev.sluice.transport.ConnectionCount;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;

/** The connections of all listeners, as metrics. Any thread. */
public final class ConnectionMetrics implements MetricSource {
  private final List<ConnectionCount> listeners = new CopyOnWriteArrayList<>();
  private final List<Expiry> certificates = new CopyOnWriteArrayList<>();

  /** Until when the certificate of a listener is valid. Any thread. */
  public interface Expiry {
    /** Returns what logs call the listener. */
    String listener();

    /** Returns the time until which it is valid; empty if there is no certificate. */
    Optional<Instant> validUntil();
  }

  /** Shows until when one more certificate is valid. */
  public void add(Expiry certificate) {
    certificates.add(certificate);
  }

  /** Shows one more listener. */
  public void add(ConnectionCount listener) {
    listeners.add(listener);
  }

  @Override
  public void write(MetricsPage page) {
    show(page, "sluice_connections", Kind.GAUGE, "Open now.", ConnectionCount::open);
    show(
        page,
        "sluice_connections_accepted_total",
        Kind.COUNTER,
        "Accepted so far.",
        ConnectionCount::accepted);
    show(
        page,
        "sluice_connections_refused_total",
        Kind.COUNTER,
        "Closed at once so far, since too many were open.",
        ConnectionCount::refused);
    var expiry =
        page.family(
            "sluice_certificate_expiry_timestamp_seconds",
            Kind.GAUGE,
            "Until when the listener's certificate is valid, in seconds since 1970.");
    for (Expiry certificate : certificates) {
      certificate
          .validUntil()
          .ifPresent(
              until -> expiry.add(until.getEpochSecond(), "listener", certificate.listener()));
    }
  }

  private void show(
      MetricsPage page,
      String name,
      Kind kind,
      String help,
      ToLongFunction<ConnectionCount> value) {
    var family = page.family(name, kind, help);
    for (ConnectionCount listener : listeners) {
      family.add(value.applyAsLong(listener), "listener", listener.listener());
    }
  }
}
