package dev.sluice.serving;

import dev.sluice.inference.Caller;
import dev.sluice.inference.ControlPlane;
import dev.sluice.inference.VersionStatus;
import dev.sluice.repository.ModelRepository;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How the models and the server are, and the switches that change it. */
public final class ModelControl implements ControlPlane {
  private final ModelRepository repository;
  private volatile boolean online;
  private volatile boolean draining;

  /**
   * @param online whether the server begins online
   */
  public ModelControl(ModelRepository repository, boolean online) {
    this.repository = repository;
    this.online = online;
  }

  @Override
  public List<String> models() {
    return repository.models();
  }

  @Override
  public Optional<List<VersionStatus>> versions(String model) {
    return repository.versions(model);
  }

  @Override
  public Map<String, Long> labels(String model) {
    return repository.labels(model);
  }

  @Override
  public boolean live() {
    return true;
  }

  @Override
  public boolean ready() {
    return !draining && repository.allReady();
  }

  /** Lets readiness fall, so that no new callers are sent here. */
  public void drain() {
    draining = true;
  }

  @Override
  public boolean online() {
    return online && !draining;
  }

  @Override
  public void setOnline(boolean wanted, Caller caller) {
    requireControl(caller, wanted ? "online" : "offline");
    online = wanted;
  }

  private static void requireControl(Caller caller, String operation) {
    caller.requireControl(operation);
  }
}
