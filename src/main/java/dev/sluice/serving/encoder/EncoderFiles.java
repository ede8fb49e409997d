package dev.sluice.serving.encoder;

import dev.sluice.config.compat.huggingface.PublishedModel;
import dev.sluice.config.model.EncoderConfig.Activation;
import dev.sluice.config.model.EncoderConfig.Head;
import dev.sluice.config.model.EncoderConfig.Join;
import dev.sluice.config.model.EncoderConfig.Pooling;
import dev.sluice.config.model.EncoderConfig.Task;
import dev.sluice.config.model.EncoderConfig.Tokens;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.text.TokenizerFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether a model is a text encoder, and what its settings leave open, by its graph and
 * the files that it was published with. On a loading worker; blocks.
 *
 * @param published the files
 */
public record EncoderFiles(ModelId id, ModelConfig model, PublishedModel published) {
  private static final Logger LOG = LoggerFactory.getLogger(EncoderFiles.class);
  private static final String TOKENIZER = "tokenizer.json";
  private static final int MAX_TOKENS = 512;

  /**
   * Returns the encoder, which has proved whether its texts may run together; empty if the model is
   * none.
   *
   * @param session of the model's own tensors, which no other caller uses; borrowed
   * @throws InferenceException with FAILED_PRECONDITION if the settings want an encoder and the
   *     model is none, INVALID_ARGUMENT if its tokenizer cannot be read
   */
  public Optional<TextEncoder> find(ModelSession session) {
    Optional<Signature> signature = session.metadata().signature("");
    if (signature.isEmpty() || !mayBeEncoder(signature.get())) {
      return Optional.empty();
    }
    Task task = task(signature.get());
    Optional<EncoderGraph> graph = graph(task, signature.get());
    Optional<Path> tokenizer =
        model.encoder().tokens().tokenizer().or(() -> published.file(TOKENIZER));
    if (graph.isEmpty() || tokenizer.isEmpty()) {
      requireNotWanted(graph.isEmpty());
      return Optional.empty();
    }
    return Optional.of(joined(session, encoder(task, graph.get(), tokenizer.get())));
  }

  /** A model that is run in a loop is none, nor one whose own inputs the settings name. */
  private boolean mayBeEncoder(Signature signature) {
    return model.encoder().task() != Task.NONE
        && model.stream().generator().isEmpty()
        && model.sequence().isEmpty()
        && model.ragged().isEmpty()
        && !model.declaresInputIn(name -> signature.input(name).isPresent());
  }

  private Task task(Signature signature) {
    if (model.encoder().task() != Task.AUTO) {
      return model.encoder().task();
    }
    Optional<EncoderGraph> logits = EncoderGraph.ofLogits(signature);
    if (logits.isEmpty() || !published.is("ForSequenceClassification")) {
      return Task.EMBEDDING;
    }
    return logits.get().width() == 1 || published.labels().size() == 1
        ? Task.RERANK
        : Task.CLASSIFICATION;
  }

  private static Optional<EncoderGraph> graph(Task task, Signature signature) {
    return task == Task.EMBEDDING
        ? EncoderGraph.ofVectors(signature)
        : EncoderGraph.ofLogits(signature);
  }

  private void requireNotWanted(boolean graph) {
    Task wanted = model.encoder().task();
    if (wanted != Task.AUTO || model.encoder().tokens().tokenizer().isPresent()) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "model %s: its settings want a text encoder, and it has no %s"
              .formatted(
                  id,
                  graph
                      ? "inputs input_ids and attention_mask alone, with an output"
                          + " last_hidden_state, sentence_embedding or logits"
                      : TOKENIZER));
    }
  }

  private TextEncoder encoder(Task task, EncoderGraph graph, Path tokenizer) {
    TokenizerFile file = TokenizerFile.read(tokenizer);
    Tokens tokens = model.encoder().tokens();
    int maxTokens = maxTokens(file);
    return new TextEncoder(
        model.encoder().completed(task, head(task, graph)),
        graph,
        file.open(tokens.specialTokens(), tokens.truncate() ? maxTokens : 0),
        maxTokens,
        published.padToken().orElseGet(file::padToken),
        published.labels(),
        "");
  }

  private Head head(Task task, EncoderGraph graph) {
    Head said = model.encoder().head();
    Activation activation =
        said.activation()
            .or(published::activation)
            .orElse(task == Task.RERANK ? Activation.SIGMOID : Activation.SOFTMAX);
    return new Head(
        said.pooling()
            .or(() -> graph.needsPooling() ? published.pooling() : Optional.empty())
            .or(() -> Optional.of(Pooling.MEAN)),
        said.normalize().or(published::normalize).or(() -> Optional.of(true)),
        Optional.of(activation));
  }

  private int maxTokens(TokenizerFile file) {
    List<Integer> said =
        List.of(
            model.encoder().tokens().maxTokens(),
            published.maxSequence(),
            file.maxTokens(),
            published.maxTokens(),
            MAX_TOKENS);
    return said.stream().filter(tokens -> tokens > 0).findFirst().orElseThrow();
  }

  private TextEncoder joined(ModelSession session, TextEncoder encoder) {
    Join wanted = encoder.config().batches().join();
    if (wanted == Join.ALWAYS) {
      return encoder;
    }
    Optional<String> obstacle =
        wanted == Join.NEVER
            ? Optional.of("its settings want so")
            : new JoinProof(session, encoder).obstacle();
    obstacle.ifPresent(reason ->
        LOG.atInfo()
            .addKeyValue("model", id)
            .addKeyValue("reason", reason)
            .log("texts run one by one"));
    return obstacle.map(encoder::apart).orElse(encoder);
  }
}
