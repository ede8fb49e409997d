package dev.sluice.ops;

import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.exposition.MetricsPage.Kind;
import dev.sluice.transport.connection.ConnectionCount;
import dev.sluice.transport.connection.ConnectionMemory;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The connections of all listeners, as metrics. Any thread. */
public final class ConnectionMetrics implements MetricSource {
  private final List<ConnectionCount> listeners = new CopyOnWriteArrayList<>();
  private volatile @Nullable ConnectionMemory memory;
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

  /** Shows the memory of the connections of all listeners. */
  public void add(ConnectionMemory ofAll) {
    memory = ofAll;
  }

  @Override
  public void write(MetricsPage page) {
    writeCounts(page);
    writeMemory(page);
    writeExpiry(page);
  }

  private void writeCounts(MetricsPage page) {
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
    show(
        page,
        "sluice_connections_accept_failures_total",
        Kind.COUNTER,
        "How often those that wait could not be accepted: the process has no file descriptors"
            + " left.",
        ConnectionCount::acceptFailures);
  }

  private void writeMemory(MetricsPage page) {
    ConnectionMemory shown = memory;
    if (shown == null) {
      return;
    }
    page.family(
            "sluice_connection_memory_limit_bytes",
            Kind.GAUGE,
            "What open connections and HTTP/2 streams may take.")
        .add(shown.limit());
    page.family(
            "sluice_connection_memory_used_bytes",
            Kind.GAUGE,
            "What open connections and HTTP/2 streams take.")
        .add(shown.held());
    page.family(
            "sluice_streams_refused_total",
            Kind.COUNTER,
            "HTTP/2 streams reset at once so far, since there was no memory for more.")
        .add(shown.refusedStreams());
  }

  private void writeExpiry(MetricsPage page) {
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
