package dev.sluice.serving.ragged;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ForwardingSession;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.batching.FlatRows;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A session whose ragged inputs have rows outside and one dimension inside, as a Triton
 * configuration says with {@code allow_ragged_batch}, {@code batch_input} and {@code batch_output}:
 * flattens the inputs of a request that runs alone, makes the inputs that tell of it, and gives
 * outputs their shape back. Requests that {@link FlatRows} has joined pass through.
 *
 * <p>Owner of the session that it stands before. Threads: as of that session.
 */
final class FlatSession extends ForwardingSession {
  private final FlatRows rows;
  private final Signature called;
  private final ModelMetadata metadata;

  private FlatSession(
      ModelSession session, FlatRows rows, Signature called, ModelMetadata metadata) {
    super(session);
    this.rows = rows;
    this.called = called;
    this.metadata = metadata;
  }

  /**
   * Stands before a session if the configuration says so, which it takes over; else returns the
   * session. It stays the caller's if this fails.
   *
   * @throws InferenceException with FAILED_PRECONDITION if the configuration does not fit the model
   */
  static ModelSession before(ModelSession session, ModelId id, ModelConfig config) {
    Optional<FlatRows> rows = FlatRows.of(config.declared());
    if (rows.isEmpty()) {
      return session;
    }
    Signature called =
        session
            .metadata()
            .signature("")
            .orElseThrow(() -> refused(id, "it has no signature " + Signature.DEFAULT));
    Signature shown = new FlatTensors(id, config.declared(), rows.get(), called).shown();
    Map<String, Signature> signatures = new LinkedHashMap<>(session.metadata().signatures());
    signatures.put(shown.name(), shown);
    return new FlatSession(
        session, rows.get(), called, session.metadata().withSignatures(signatures));
  }

  static InferenceException refused(ModelId id, String why) {
    return new InferenceException(ErrorCode.FAILED_PRECONDITION, "model " + id + ": " + why);
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public Optional<ModelSession> share() {
    return session.share().map(shared -> new FlatSession(shared, rows, called, metadata));
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    if (signature.equals(FlatRows.JOINED)) {
      return session.run(called, inputs, own(outputs));
    }
    if (!signature.name().equals(called.name())) {
      return session.run(signature, inputs, outputs);
    }
    List<NamedTensor> flat = rows.alone(inputs);
    try {
      return shaped(session.run(called, flat, own(outputs)), inputs);
    } finally {
      NamedTensor.closeAll(flat);
    }
  }

  private List<TensorSpec> own(List<TensorSpec> outputs) {
    return outputs.stream().map(output -> called.output(output.name()).orElseThrow()).toList();
  }

  /** Takes the results over. */
  private List<NamedTensor> shaped(List<NamedTensor> results, List<NamedTensor> inputs) {
    List<NamedTensor> shaped = new ArrayList<>(results);
    try {
      for (int i = 0; i < shaped.size(); i++) {
        NamedTensor result = shaped.get(i);
        Shape shape = rows.shape(result.name(), inputs, result.tensor().shape());
        if (!shape.equals(result.tensor().shape())) {
          shaped.set(i, shaped(result, shape));
        }
      }
      return shaped;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(shaped);
      throw e;
    }
  }

  private static NamedTensor shaped(NamedTensor result, Shape shape) {
    Tensor tensor = result.tensor();
    if (shape.elementCount() != tensor.elementCount()) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "output '%s' has shape %s; batch_output wants the elements of %s"
              .formatted(result.name(), tensor.shape(), shape));
    }
    return new NamedTensor(
        result.name(), Tensor.adopt(tensor.type(), shape, tensor.data(), tensor::close));
  }
}
