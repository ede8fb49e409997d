package dev.sluice.protocol.oip;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.LogControl;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.transport.Exchange;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The server as this protocol's handlers see it. Immutable; any thread.
 *
 * @param data finds models and runs requests
 * @param control lists and controls models
 * @param logs what is written to its log
 * @param identity what server metadata reports
 * @param telemetry has the models' statistics
 * @param forwarded headers that models get to see
 * @param regions of shared memory that callers have registered; null where none is served
 * @param nanoTime the clock of deadlines
 */
public record OipServer(
    DataPlane data,
    ControlPlane control,
    LogControl logs,
    Identity identity,
    Telemetry telemetry,
    ForwardedHeaders forwarded,
    @Nullable SharedMemoryRegions regions,
    LongSupplier nanoTime) {
  /** The name and the version that server metadata reports. */
  public record Identity(String name, String version) {}

  private static final String SHARED_MEMORY = "system_shared_memory";

  private static final List<String> EXTENSIONS =
      List.of(
          "classification",
          "sequence",
          "schedule_policy",
          "model_repository",
          "model_repository(unload_dependents)",
          "model_configuration",
          SHARED_MEMORY,
          "binary_tensor_data",
          "parameters",
          "statistics",
          "trace",
          "logging");

  /** Returns the extensions that are served, by their announced names. */
  public List<String> extensions() {
    return regions != null
        ? EXTENSIONS
        : EXTENSIONS.stream().filter(extension -> !extension.equals(SHARED_MEMORY)).toList();
  }

  /**
   * Returns the shared memory of the caller of an exchange, on its event loop, if any is served.
   */
  public @Nullable SharedMemory memory(Exchange exchange) {
    return regions == null ? null : SharedMemory.of(regions, exchange);
  }

  /**
   * Returns the earlier of a request's own timeout, which may be 0 for none, and another deadline.
   * A model with a queue policy of its own looks after the timeout itself.
   */
  public Deadline deadline(long timeoutMicros, ModelMetadata model, Deadline other) {
    if (timeoutMicros <= 0 || model.queueTimeouts()) {
      return other;
    }
    Duration timeout = Duration.of(timeoutMicros, ChronoUnit.MICROS);
    return Deadline.after(timeout, nanoTime.getAsLong()).earlier(other);
  }
}
