package dev.sluice.testing;

import dev.sluice.inference.Caller;
import dev.sluice.inference.ControlPlane;
import dev.sluice.inference.VersionStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A control plane of a server without models, which is never on line. */
public final class UnusedControl implements ControlPlane {
  @Override
  public List<String> models() {
    return List.of();
  }

  @Override
  public Optional<List<VersionStatus>> versions(String model) {
    return Optional.empty();
  }

  @Override
  public Map<String, Long> labels(String model) {
    return Map.of();
  }

  @Override
  public boolean live() {
    return true;
  }

  @Override
  public boolean ready() {
    return true;
  }

  @Override
  public boolean online() {
    return false;
  }

  @Override
  public void setOnline(boolean online, Caller caller) {
    throw new UnsupportedOperationException("nothing to put on line");
  }
}
