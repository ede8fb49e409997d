package dev.sluice.testing;

import dev.sluice.inference.ModelLease;
import dev.sluice.inference.control.RecordedRequests;
import java.nio.file.Path;

/** Recorded requests of models that have none. */
public enum NothingRecorded implements RecordedRequests {
  HERE;

  @Override
  public boolean areIn(Path folder) {
    return false;
  }

  @Override
  public int replay(Path folder, ModelLease model, int iterations, Run run) {
    throw new AssertionError("nothing is replayed");
  }
}
