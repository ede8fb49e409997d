package dev.sluice.repository;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.control.VersionStatus.Failure;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down what it hears. */
final class FakeRepositoryListener implements RepositoryListener {
  final List<String> events = new CopyOnWriteArrayList<>();
  final List<String> warnings = new CopyOnWriteArrayList<>();

  @Override
  public void available(ModelId id) {
    events.add(id + " available");
  }

  @Override
  public void failed(ModelId id, Failure why) {
    events.add(id + " failed: " + why.message());
  }

  @Override
  public void memberLost(ModelId id, Failure why) {
    events.add(id + " without a member: " + why.message());
  }

  @Override
  public void unloaded(ModelId id) {
    events.add(id + " unloaded");
  }

  @Override
  public void warning(String text) {
    warnings.add(text);
  }
}
