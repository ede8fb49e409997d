package dev.sluice.runtime;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A session whose tensors have other shapes outside than inside: those that a Triton configuration
 * declares ({@code dims}) in place of the model's own ({@code reshape}). No element is copied.
 *
 * <p>Owner of the session that it stands before. Threads: as of that session.
 */
public final class ReshapedSession extends ForwardingSession {
  private final ModelMetadata metadata;
  private final Map<String, Reshape> inputs;
  private final Map<String, Reshape> outputs;

  /**
   * Stands before a session, which it takes over.
   *
   * @param inputs by name, those whose declared shape is another than the model's
   * @param outputs likewise
   */
  public ReshapedSession(
      ModelSession session, Map<String, Reshape> inputs, Map<String, Reshape> outputs) {
    super(session);
    this.inputs = Map.copyOf(inputs);
    this.outputs = Map.copyOf(outputs);
    this.metadata = session.metadata().withSignatures(declared()).withShapesBinding();
  }

  private Map<String, Signature> declared() {
    Map<String, Signature> declared = new LinkedHashMap<>();
    session
        .metadata()
        .signatures()
        .forEach((name, signature) -> declared.put(name, declared(signature)));
    return declared;
  }

  private Signature declared(Signature signature) {
    return signature.withTensors(
        declared(signature.inputs(), inputs), declared(signature.outputs(), outputs));
  }

  private static List<TensorSpec> declared(List<TensorSpec> specs, Map<String, Reshape> reshapes) {
    return specs.stream()
        .map(spec -> {
          Reshape reshape = reshapes.get(spec.name());
          return reshape == null ? spec : spec.withShape(reshape.declared());
        })
        .toList();
  }

  @Override
  public Optional<ModelSession> share() {
    return session.share().map(shared -> new ReshapedSession(shared, inputs, outputs));
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public RunTimeBasis runTimeBasis() {
    return session.runTimeBasis();
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> given, List<TensorSpec> wanted) {
    List<NamedTensor> results = session.run(signature, toModel(given), wanted);
    return outputs.isEmpty() ? results : toCaller(results);
  }

  private List<NamedTensor> toModel(List<NamedTensor> given) {
    List<NamedTensor> changed = new ArrayList<>(given.size());
    for (NamedTensor input : given) {
      Reshape reshape = inputs.get(input.name());
      changed.add(reshape == null || !reshape.changes() ? input : reshape.toModel(input));
    }
    return changed;
  }

  private List<NamedTensor> toCaller(List<NamedTensor> results) {
    List<NamedTensor> changed = new ArrayList<>(results);
    try {
      for (int i = 0; i < changed.size(); i++) {
        Reshape reshape = outputs.get(changed.get(i).name());
        if (reshape != null && reshape.changes()) {
          changed.set(i, reshape.toCaller(changed.get(i)));
        }
      }
      return changed;
    } catch (InferenceException e) {
      NamedTensor.closeAll(changed);
      throw new InferenceException(ErrorCode.INTERNAL, "output " + e.getMessage(), e);
    }
  }
}
