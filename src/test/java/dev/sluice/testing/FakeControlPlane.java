package dev.sluice.testing;

import dev.sluice.inference.access.Caller;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.DesiredModel;
import dev.sluice.inference.control.LoadFailure;
import dev.sluice.inference.control.ModelLoad;
import io.vertx.core.Future;
import java.util.List;

/** A control plane that is ready and changes nothing; a test overrides what it needs. */
public interface FakeControlPlane extends ControlPlane {
  @Override
  default boolean live() {
    return true;
  }

  @Override
  default boolean ready() {
    return true;
  }

  @Override
  default boolean online() {
    return true;
  }

  @Override
  default void setOnline(boolean online, Caller caller) {
    throw new UnsupportedOperationException("this fake has no switch");
  }

  @Override
  default Future<Void> load(ModelLoad load, Caller caller) {
    throw new UnsupportedOperationException("this fake loads nothing");
  }

  @Override
  default Future<Void> unload(String model, boolean dependents, Caller caller) {
    throw new UnsupportedOperationException("this fake unloads nothing");
  }

  @Override
  default Future<List<LoadFailure>> serve(List<DesiredModel> wanted, Caller caller) {
    throw new UnsupportedOperationException("this fake loads nothing");
  }
}
