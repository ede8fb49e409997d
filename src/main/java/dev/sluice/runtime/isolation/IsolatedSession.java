package dev.sluice.runtime.isolation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.config.model.IsolationConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session whose model runs in a process of its own. If that process ends, the run under way fails
 * with UNAVAILABLE and the session has {@link #ended}.
 *
 * <p>Owner of the process and of the memory that it shares. Threads: as {@link ModelSession} says.
 */
final class IsolatedSession implements ModelSession {
  private static final Logger LOG = LoggerFactory.getLogger(IsolatedSession.class);

  private final PeerProcess process;
  private final ModelMetadata metadata;
  private final SharedTensors tensors;
  private final Duration killAfter;
  private final ProcessMessageWriter writer = new ProcessMessageWriter();

  @GuardedBy("this")
  private boolean interrupted;

  @GuardedBy("this")
  private boolean running;

  @GuardedBy("this")
  private @Nullable Future<?> kill;

  private IsolatedSession(
      PeerProcess process, ModelMetadata metadata, SharedTensors tensors, Duration killAfter) {
    this.process = process;
    this.metadata = metadata;
    this.tensors = tensors;
    this.killAfter = killAfter;
  }

  /**
   * Starts a process and has it open a model. Blocks for as long as that takes.
   *
   * @param runtime by name
   * @param maxOutputSize bytes of each output of a run
   */
  static IsolatedSession open(
      String runtime, ModelSource source, ProcessLauncher launcher, long maxOutputSize) {
    IsolationConfig isolation = source.settings().isolation(runtime);
    PeerProcess process = PeerProcess.start(source.id(), launcher);
    try {
      ModelMetadata metadata =
          process.ask(
              order -> {
                order.begin(ProcessCommand.OPEN).putText(runtime);
                order.putLong(maxOutputSize).putLong(isolation.memory());
                SourceCodec.write(source, order);
              },
              new ProcessMessageWriter(),
              (kind, reply) -> {
                ProcessReply.requireDone(kind);
                return SignatureCodec.readMetadata(reply);
              });
      LOG.atInfo()
          .addKeyValue("model", source.id())
          .addKeyValue("pid", process.handle().pid())
          .log("the model runs in a process of its own");
      var tensors = new SharedTensors(process, maxOutputSize);
      return new IsolatedSession(process, metadata, tensors, isolation.killAfter());
    } catch (RuntimeException | Error e) {
      process.close();
      throw e;
    }
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    begin();
    try (SharedInputs shared = tensors.share(inputs)) {
      return tensors.run(order -> putRun(order, signature, shared, outputs), outputs, writer);
    } finally {
      end();
    }
  }

  private synchronized void begin() {
    if (interrupted) {
      throw new InferenceException(ErrorCode.CANCELLED, "the run was interrupted");
    }
    running = true;
  }

  private synchronized void end() {
    running = false;
    if (kill != null) {
      kill.cancel(false);
      kill = null;
    }
  }

  /** A signature that the model does not declare, made of several that it does, is sent whole. */
  private void putRun(
      ProcessMessageWriter order,
      Signature signature,
      SharedInputs inputs,
      List<TensorSpec> outputs) {
    boolean known = metadata.signatures().containsKey(signature.name());
    order.begin(ProcessCommand.RUN).putFlag(known);
    if (known) {
      order.putText(signature.name());
    } else {
      SignatureCodec.write(signature, order);
    }
    inputs.put(order);
    order.putInt(outputs.size());
    for (int i = 0; i < outputs.size(); i++) {
      order.putText(outputs.get(i).name());
    }
  }

  /** Asks the runtime; a run that does not end by that is ended with its process. */
  @Override
  public synchronized void interrupt() {
    interrupted = true;
    process.sendWithoutReply(new ProcessMessageWriter().begin(ProcessCommand.INTERRUPT));
    if (running && kill == null && !killAfter.isZero()) {
      kill = KillTimer.after(killAfter, this::killRun);
    }
  }

  private synchronized void killRun() {
    if (running && interrupted) {
      process.kill(
          "no caller waited for its run any more, and it did not end in "
              + killAfter.toMillis()
              + " ms");
    }
  }

  @Override
  public synchronized void resume() {
    interrupted = false;
    process.sendWithoutReply(new ProcessMessageWriter().begin(ProcessCommand.RESUME));
  }

  @Override
  public boolean abort(String why) {
    process.kill(why);
    return true;
  }

  @Override
  public CompletionStage<String> ended() {
    return process.ended();
  }

  @Override
  public Optional<ProcessHandle> process() {
    return Optional.of(process.handle());
  }

  @Override
  public void close() {
    process.close();
    tensors.close();
  }
}
