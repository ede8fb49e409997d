package dev.sluice.runtime.tensorflow;

import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One SavedModel, loaded, or another session over it. Variables that a signature changes stay
 * changed, for all sessions that share it.
 */
final class TensorflowSession implements ModelSession {
  private final SavedModel model;
  private final TensorflowConfig config;
  private final RunTotals totals;
  private final TfStatus status;
  private final ModelMetadata metadata;
  private final Map<String, CallableSignature> signatures;
  private final TensorflowRun run;

  /** The graph's names of the outputs of all signatures. */
  private final Set<String> tensors = new HashSet<>();

  private boolean closed;

  private TensorflowSession(
      SavedModel model,
      Map<String, CallableSignature> signatures,
      TensorflowConfig config,
      RunTotals totals,
      TfStatus status) {
    Map<String, Signature> declared = model.signatures();
    this.model = model;
    this.config = config;
    this.totals = totals;
    this.status = status;
    this.signatures = signatures;
    this.metadata =
        new ModelMetadata("tensorflow_savedmodel", declared, false, 0)
            .withMethodsBinding(config.methodNames());
    declared.values().stream()
        .flatMap(signature -> signature.outputs().stream())
        .forEach(output -> tensors.add(output.nativeName()));
    this.run = new TensorflowRun(model.session(), declared.values(), totals, status);
  }

  static TensorflowSession open(Path folder, TensorflowConfig config, RunTotals totals) {
    var status = new TfStatus();
    try {
      return open(SavedModel.load(folder, config, status), config, totals, status);
    } catch (RuntimeException e) {
      status.close();
      throw e;
    }
  }

  private static TensorflowSession open(
      SavedModel model, TensorflowConfig config, RunTotals totals, TfStatus status) {
    var signatures = new HashMap<String, CallableSignature>();
    try {
      model
          .signatures()
          .forEach((name, found) ->
              signatures.put(name, new CallableSignature(model.graph(), found, status)));
      return new TensorflowSession(model, signatures, config, totals, status);
    } catch (RuntimeException e) {
      signatures.values().forEach(CallableSignature::close);
      model.close();
      throw e;
    }
  }

  @Override
  public Optional<ModelSession> share() {
    if (!model.tryShare()) {
      return Optional.empty();
    }
    var other = new TfStatus();
    try {
      return Optional.of(open(model, config, totals, other));
    } catch (RuntimeException e) {
      other.close();
      throw e;
    }
  }

  /** Returns whether no run changes a variable: TensorFlow runs a session on several threads. */
  @Override
  public boolean runsAreIndependent() {
    return !model.changesVariables();
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    if (closed) {
      throw new IllegalStateException("the session is closed");
    }
    CallableSignature callable = signatures.get(signature.name());
    return run.run(callable == null ? joint(signature) : callable, inputs, outputs);
  }

  /**
   * Returns a signature made of several of the model's: see {@link Signature#joint}. Owns nothing,
   * since what has defaults is never joined.
   */
  private CallableSignature joint(Signature signature) {
    if (!signature.outputs().stream().map(TensorSpec::nativeName).allMatch(tensors::contains)) {
      throw InferenceException.invalid("the model has no signature '" + signature.name() + "'");
    }
    return new CallableSignature(model.graph(), signature);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      run.close();
      signatures.values().forEach(CallableSignature::close);
      model.close();
      status.close();
    }
  }
}
