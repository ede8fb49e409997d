package dev.sluice.serving.loading;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.compat.huggingface.PublishedModel;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.ModelConfig.Workers;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.ModelSession;
import dev.sluice.serving.encoder.EncoderFiles;
import dev.sluice.serving.encoder.TextEncoder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A model's settings, complete with what its graph and its files say.
 *
 * @param shownBatchSize largest batch as clients see it: an encoder joins texts of requests without
 *     saying that the first dimension is a batch
 * @param encoder if the model takes texts in place of tokens
 */
record CompletedSettings(ModelConfig config, int shownBatchSize, Optional<TextEncoder> encoder) {
  /** Requests of an encoder that run together, in texts. */
  private static final int JOINED_TEXTS = 64;

  /** With which the platforms of models begin whose runs can be spread. */
  private static final String ONNX = "onnx";

  /** Bytes of a text that are a token, about. */
  private static final int TOKEN_BYTES = 4;

  /**
   * Completes the settings of a model. Blocks, and runs it.
   *
   * @param session its first, which no other caller uses yet
   * @param folder of the version
   * @throws InferenceException with FAILED_PRECONDITION if its files or its settings say what
   *     cannot be
   */
  static CompletedSettings of(ModelId id, ModelConfig said, ModelSession session, Path folder) {
    try {
      return complete(id, said, session, folder);
    } catch (ConfigException e) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, "model " + id + ": " + e.getMessage(), e);
    }
  }

  private static CompletedSettings complete(
      ModelId id, ModelConfig said, ModelSession session, Path folder) {
    var published = PublishedModel.in(List.of(folder, VersionLocation.modelFolder(folder, id)));
    Optional<TextEncoder> encoder = new EncoderFiles(id, said, published).find(session);
    if (encoder.isPresent()) {
      return new CompletedSettings(
          joined(said, encoder.get(), session), said.batching().maxBatchSize(), encoder);
    }
    ModelConfig looped =
        session
            .metadata()
            .signature("")
            .map(signature -> new PublishedDecoder(published).complete(said, signature))
            .orElse(said);
    ModelConfig config = DefaultBatchSize.complete(looped, session.metadata());
    return new CompletedSettings(config, config.batching().maxBatchSize(), encoder);
  }

  /**
   * Joins requests where texts run together, and spreads runs over the cores, unless the settings
   * say otherwise.
   */
  private static ModelConfig joined(ModelConfig asSaid, TextEncoder encoder, ModelSession session) {
    boolean spreads = encoder.joins() && session.metadata().platform().startsWith(ONNX);
    ModelConfig said = spreads ? asSaid.withSpreadRuns() : asSaid;
    BatchingConfig batching = said.batching();
    boolean wanted = batching.maxBatchSize() == 0 && encoder.joins() && !encoder.takesPairs();
    return wanted
        ? said.withBatching(
            batching.withJoined(
                JOINED_TEXTS, (long) encoder.config().batches().batchTokens() * TOKEN_BYTES))
        : said;
  }

  CompletedSettings withWorkers(Workers workers) {
    return new CompletedSettings(config.withWorkers(workers), shownBatchSize, encoder);
  }
}
