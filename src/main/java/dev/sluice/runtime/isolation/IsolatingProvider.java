package dev.sluice.runtime.isolation;

import dev.sluice.config.model.IsolationConfig;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import java.nio.file.Path;

/**
 * Stands before a runtime and opens models in processes of their own where their settings ask for
 * it, and in the server's process elsewhere. Thread-safe.
 *
 * @param runtime opens models in this process; a process knows it by its name
 * @param launcher starts processes
 * @param maxOutputSize bytes of each output of a run, which is refused in the process already
 */
public record IsolatingProvider(
    RuntimeProvider runtime, ProcessLauncher launcher, long maxOutputSize)
    implements RuntimeProvider {
  /** Deletes shared memory that earlier servers left behind. Blocks. */
  public static void deleteAbandoned() {
    SharedFile.deleteAbandoned();
  }

  @Override
  public String name() {
    return runtime.name();
  }

  @Override
  public boolean recognises(Path folder) {
    return runtime.recognises(folder);
  }

  @Override
  public ModelSession open(ModelSource source) {
    return source.settings().isolation(name()).mode() == IsolationConfig.Mode.PROCESS
        ? IsolatedSession.open(name(), source, launcher, maxOutputSize)
        : runtime.open(source);
  }
}
