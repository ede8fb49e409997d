package dev.sluice.repository;

import dev.sluice.inference.VersionState;
import java.util.EnumSet;
import java.util.Set;

/**
 * Checks the transitions between states of a version.
 *
 * <p>START, LOADING, AVAILABLE, UNLOADING, END as in TensorFlow Serving; any other move is a defect
 * of the server.
 */
final class VersionTransitions {
  private VersionTransitions() {}

  static Set<VersionState> after(VersionState state) {
    return switch (state) {
      // END without loading: the settings are broken, or the version is no longer desired
      case START -> EnumSet.of(VersionState.LOADING, VersionState.END);
      case LOADING -> EnumSet.of(VersionState.AVAILABLE, VersionState.END);
      case AVAILABLE -> EnumSet.of(VersionState.UNLOADING);
      // LOADING: desired again while earlier requests still run on what was loaded before
      case UNLOADING -> EnumSet.of(VersionState.END, VersionState.LOADING);
      // START: an ensemble whose members come back
      case END -> EnumSet.of(VersionState.LOADING, VersionState.START);
    };
  }
}
