package dev.sluice.runtime;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A session of a merged decoder, as Optimum exports them: one graph with two branches, of which the
 * input {@code use_cache_branch} takes that for a prompt, which reads no KV cache (false), or that
 * for what comes behind one (true). The caches of a run say which it is, so callers have no such
 * input: true where there is anything in {@code past_key_values.*}.
 *
 * <p>Owner of the session that it stands before. Threads: as of that session.
 */
public final class CacheBranchSession extends ForwardingSession {
  private static final String BRANCH = "use_cache_branch";
  private static final String PAST = "past_key_values";

  private final ModelMetadata metadata;

  private CacheBranchSession(ModelSession session) {
    super(session);
    var signatures = new LinkedHashMap<String, Signature>();
    session
        .metadata()
        .signatures()
        .forEach((name, signature) -> signatures.put(name, withoutBranch(signature)));
    this.metadata = session.metadata().withSignatures(signatures);
  }

  /** Returns a session without that input, which takes the given one over, or that one itself. */
  public static ModelSession of(ModelSession session) {
    return session.metadata().signatures().values().stream().anyMatch(CacheBranchSession::branches)
        ? new CacheBranchSession(session)
        : session;
  }

  private static boolean branches(Signature signature) {
    return signature.input(BRANCH).filter(CacheBranchSession::isFlag).isPresent()
        && signature.inputs().stream().anyMatch(input -> isPast(input.name()));
  }

  private static boolean isFlag(TensorSpec input) {
    Shape shape = input.shape();
    return input.type() == DataType.BOOL
        && (shape.rank() == 0 || (shape.rank() == 1 && Math.abs(shape.dim(0)) == 1));
  }

  private static boolean isPast(String input) {
    return input.startsWith(PAST);
  }

  private static Signature withoutBranch(Signature signature) {
    return branches(signature)
        ? signature.withTensors(
            signature.inputs().stream().filter(input -> !input.name().equals(BRANCH)).toList(),
            signature.outputs())
        : signature;
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public Optional<ModelSession> share() {
    return session.share().map(CacheBranchSession::new);
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    return run(signature, inputs, outputs, Map.of());
  }

  @Override
  public List<NamedTensor> run(
      Signature signature,
      List<NamedTensor> inputs,
      List<TensorSpec> outputs,
      Map<String, String> inPlace) {
    Signature called = session.metadata().signatures().getOrDefault(signature.name(), signature);
    if (!branches(called)) {
      return session.run(called, inputs, outputs, inPlace);
    }
    try (Tensor branch = branch(called.input(BRANCH).orElseThrow(), inputs)) {
      var all = new ArrayList<>(inputs);
      all.add(new NamedTensor(BRANCH, branch));
      return session.run(called, all, outputs, inPlace);
    }
  }

  private static Tensor branch(TensorSpec spec, List<NamedTensor> inputs) {
    boolean cached =
        inputs.stream()
            .anyMatch(input -> isPast(input.name()) && input.tensor().elementCount() > 0);
    Tensor flag =
        Tensor.allocate(DataType.BOOL, spec.shape().rank() == 0 ? Shape.of() : Shape.of(1));
    flag.data().set(ValueLayout.JAVA_BYTE, 0, (byte) (cached ? 1 : 0));
    return flag;
  }
}
