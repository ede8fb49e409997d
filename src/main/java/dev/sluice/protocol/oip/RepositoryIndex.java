package dev.sluice.protocol.oip;

import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * The repository's index: every version of every model, by its state.
 *
 * <p>States are Triton's words for TensorFlow Serving's: a version that is loading or failed is
 * listed with its reason.
 */
public final class RepositoryIndex {
  /**
   * One line of the index.
   *
   * @param name the model
   * @param version its version; empty if the model has none
   * @param state in Triton's words; empty if the model has no version
   * @param reason why it is not ready; may be empty
   */
  public record Entry(String name, String version, String state, String reason) {}

  private static final String READY = "READY";

  private RepositoryIndex() {}

  /** Returns the index of what the caller may know of, sorted by name and version. */
  public static Future<List<Entry>> of(ControlPlane control, boolean onlyReady, Caller caller) {
    return control
        .known(caller, Operation.REPOSITORY_INDEX)
        .map(models -> of(control, models, onlyReady));
  }

  private static List<Entry> of(ControlPlane control, List<String> models, boolean onlyReady) {
    List<Entry> index = new ArrayList<>();
    for (String model : models) {
      List<VersionStatus> versions = control.versions(model).orElse(List.of());
      if (versions.isEmpty()) {
        index.add(new Entry(model, "", "", ""));
      }
      for (VersionStatus version : versions) {
        index.add(entry(model, version));
      }
    }
    if (onlyReady) {
      index.removeIf(entry -> !entry.state().equals(READY));
    }
    return index;
  }

  private static Entry entry(String model, VersionStatus status) {
    return new Entry(model, Long.toString(status.version()), state(status.state()), reason(status));
  }

  private static String state(VersionState state) {
    return switch (state) {
      case START -> "UNKNOWN";
      case LOADING -> "LOADING";
      case AVAILABLE -> READY;
      case UNLOADING -> "UNLOADING";
      case END -> "UNAVAILABLE";
    };
  }

  private static String reason(VersionStatus status) {
    String unloaded = status.state() == VersionState.END ? "unloaded" : "";
    return status.error().map(VersionStatus.Failure::message).orElse(unloaded);
  }
}
