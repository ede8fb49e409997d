package dev.sluice.serving.ragged;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.ragged.RaggedConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ForwardingSession;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.batching.FlatRows;
import dev.sluice.scheduling.batching.PaddedRows;
import dev.sluice.scheduling.batching.RaggedRows;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A session whose rows have a length: makes the mask and the lengths that a request leaves out, and
 * refuses a request whose inputs are not equally long.
 *
 * <p>Owner of the session that it stands before. Threads: as of that session.
 */
public final class RaggedSession extends ForwardingSession {
  private final PaddedRows rows;
  private final ModelMetadata metadata;
  private final String advice;

  private RaggedSession(
      ModelSession session, PaddedRows rows, ModelMetadata metadata, String advice) {
    super(session);
    this.rows = rows;
    this.metadata = metadata;
    this.advice = advice;
  }

  /**
   * Returns how the rows of a model run together that have different lengths; empty if its settings
   * do not say so.
   *
   * @param metadata the model's own, or as clients see it
   * @throws InferenceException with FAILED_PRECONDITION if the settings do not fit the model
   */
  public static Optional<RaggedRows> rows(ModelId id, ModelConfig config, ModelMetadata metadata) {
    return config.ragged().isPresent()
        ? Optional.of(tensors(id, config.ragged().get(), metadata).rows())
        : FlatRows.of(config.declared()).map(rows -> rows);
  }

  private static RaggedTensors tensors(ModelId id, RaggedConfig ragged, ModelMetadata metadata) {
    Signature signature =
        metadata
            .signature("")
            .orElseThrow(() ->
                new InferenceException(
                    ErrorCode.FAILED_PRECONDITION,
                    "model %s: its settings say ragged, and it has no signature %s"
                        .formatted(id, Signature.DEFAULT)));
    return new RaggedTensors(id, ragged, signature);
  }

  /**
   * Stands before a session if the settings say so, which it takes over; else returns the session.
   * It stays the caller's if this fails.
   */
  public static ModelSession before(ModelSession session, ModelId id, ModelConfig config) {
    if (config.ragged().isEmpty()) {
      return FlatSession.before(session, id, config);
    }
    RaggedConfig ragged = config.ragged().get();
    RaggedTensors tensors = tensors(id, ragged, session.metadata());
    return new RaggedSession(
        session,
        tensors.rows(),
        tensors.shown().map(shown -> shown(session.metadata(), shown)).orElse(session.metadata()),
        advice(ragged));
  }

  private static ModelMetadata shown(ModelMetadata metadata, Signature shown) {
    Map<String, Signature> signatures = new LinkedHashMap<>(metadata.signatures());
    signatures.put(shown.name(), shown);
    return metadata.withSignatures(signatures);
  }

  private static String advice(RaggedConfig ragged) {
    return "rows of different lengths run together, padded to the longest; "
        + (ragged.prove()
            ? "on made-up rows this changes no answer"
            : "whether this changes answers was not tried (ragged.prove)");
  }

  /**
   * Proves on a model that padding changes no answer, if its settings want that. Blocks.
   *
   * @param session {@link #before} which one of these stands, and which no other caller uses
   * @throws InferenceException with FAILED_PRECONDITION if it does, or cannot be tried
   */
  public static void prove(ModelSession session, ModelId id, ModelConfig config) {
    if (config.ragged().isEmpty() || !config.ragged().get().prove()) {
      return;
    }
    RaggedTensors tensors = tensors(id, config.ragged().get(), session.metadata());
    int rows = Math.clamp(config.batching().maxBatchSize(), 2, LengthProof.MOST_ROWS);
    new LengthProof(session, tensors.shown().orElse(tensors.signature()), tensors.rows(), rows)
        .obstacle()
        .ifPresent(why -> {
          throw new InferenceException(
              ErrorCode.FAILED_PRECONDITION,
              "model %s: its settings want rows of different lengths to run together, and %s"
                  .formatted(id, why));
        });
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public Optional<ModelSession> share() {
    return session.share().map(shared -> new RaggedSession(shared, rows, metadata, advice));
  }

  @Override
  public Optional<String> advice() {
    return Optional.of(advice);
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    if (!signature.name().equals(rows.signature())) {
      return session.run(signature, inputs, outputs);
    }
    rows.require(inputs);
    var complete = new ArrayList<>(inputs);
    try {
      rows.complete(complete);
      return session.run(signature, complete, outputs);
    } finally {
      NamedTensor.closeAll(complete.subList(inputs.size(), complete.size()));
    }
  }
}
