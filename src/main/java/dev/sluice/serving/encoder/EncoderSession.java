package dev.sluice.serving.encoder;

import dev.sluice.config.model.EncoderConfig.Head;
import dev.sluice.config.model.EncoderConfig.Task;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.runtime.ForwardingSession;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.text.BoundedTokenizer;
import dev.sluice.text.TokenSequence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A session that takes texts, before one that takes tokens: tokenizes them, runs those of like
 * lengths together, on idle cores too, and makes their answers of what the model computes, in the
 * order of the texts.
 *
 * <p>Owner of the session that it stands before. Threads: as of that session.
 */
public final class EncoderSession extends ForwardingSession {
  /** Most characters of a text that is asked for its tokens alone. */
  private static final int LONGEST_TEXT = 1 << 20;

  private final TextEncoder encoder;
  private final HelperSessions helpers;
  private final ModelMetadata metadata;

  /**
   * Stands before a session, which it takes over.
   *
   * @param mostHelpers threads that may compute texts of a request beside the one that runs it,
   *     each on a session that shares what this one has loaded
   */
  public EncoderSession(ModelSession session, TextEncoder encoder, int mostHelpers) {
    super(session);
    this.encoder = encoder;
    this.helpers = new HelperSessions(session, mostHelpers);
    Signature shown = encoder.shown();
    this.metadata =
        session.metadata().withSignatures(Map.of(shown.name(), shown)).withShapesBinding();
  }

  @Override
  public ModelMetadata metadata() {
    return metadata;
  }

  @Override
  public Optional<ModelSession> share() {
    return session.share().map(shared -> new EncoderSession(shared, encoder, helpers.most()));
  }

  @Override
  public void interrupt() {
    helpers.interrupt();
    session.interrupt();
  }

  @Override
  public void resume() {
    helpers.resume();
    session.resume();
  }

  @Override
  public void close() {
    helpers.close();
    session.close();
  }

  @Override
  public Optional<ModelTokenizer> tokenizer() {
    return Optional.of(
        new BoundedTokenizer(encoder.tokenizer(), LONGEST_TEXT, encoder.maxTokens()));
  }

  @Override
  public Optional<String> advice() {
    return Optional.of(encoder.description());
  }

  @Override
  public List<NamedTensor> run(
      Signature signature, List<NamedTensor> inputs, List<TensorSpec> outputs) {
    Tensor texts = input(inputs, TextEncoder.TEXT);
    String query = encoder.takesPairs() ? query(inputs) : null;
    var reader = new TextReader(TextEncoder.TEXT, texts);
    if (!reader.hasMore()) {
      throw InferenceException.invalid(
          "input \"%s\" has no texts; wanted at least one".formatted(TextEncoder.TEXT));
    }
    try (EncodedTexts answers =
        new CountedTexts(answers(texts.elementCount()), texts.elementCount())) {
      while (reader.hasMore()) {
        long first = reader.position();
        List<TokenSequence> tokens = tokens(query, reader.next(), first);
        encode(tokens, buckets(tokens), first, answers);
      }
      return outputs(answers, outputs);
    }
  }

  private static Tensor input(List<NamedTensor> inputs, String name) {
    return inputs.stream()
        .filter(input -> input.name().equals(name))
        .findFirst()
        .orElseThrow()
        .tensor();
  }

  private static String query(List<NamedTensor> inputs) {
    return new TextReader(TextEncoder.QUERY, input(inputs, TextEncoder.QUERY)).next().getFirst();
  }

  private EncodedTexts answers(long texts) {
    Head head = encoder.config().head();
    return encoder.config().task() == Task.EMBEDDING
        ? new TextVectors(texts, head.pooling().orElseThrow(), head.normalize().orElseThrow())
        : new TextScores(Math.toIntExact(texts), head.activation().orElseThrow(), encoder.labels());
  }

  private List<TokenSequence> tokens(@Nullable String query, List<String> texts, long first) {
    var tokens = new ArrayList<TokenSequence>(texts.size());
    for (String text : texts) {
      tokens.add(encoder.tokens(query, text, first + tokens.size()));
    }
    return tokens;
  }

  /**
   * Runs the model on texts.
   *
   * @param buckets those that run together
   * @param first place of the first one
   */
  private void encode(
      List<TokenSequence> texts, List<int[]> buckets, long first, EncodedTexts answers) {
    SharedRun.Group group =
        (session, each) -> encode(session, texts, buckets.get(each), first, answers);
    new SharedRun(buckets.size(), group, helpers, IdleCores.OF_PROCESS).run(session);
  }

  private void encode(
      ModelSession by, List<TokenSequence> texts, int[] bucket, long first, EncodedTexts answers) {
    List<TokenSequence> rows = Arrays.stream(bucket).mapToObj(texts::get).toList();
    try (Tensor computed = compute(by, rows)) {
      synchronized (answers) {
        for (int i = 0; i < bucket.length; i++) {
          answers.take(first + bucket[i], computed, i, rows.get(i).length());
        }
      }
    }
  }

  /** Returns the numbers of texts' answers, for a trial; the caller's to close. */
  Tensor trial(List<TokenSequence> texts, List<int[]> buckets) {
    try (EncodedTexts answers = answers(texts.size())) {
      encode(texts, buckets, 0, answers);
      return answers.output(encoder.shown().supportedOutputs().getLast().name()).tensor();
    }
  }

  private List<int[]> buckets(List<TokenSequence> texts) {
    return encoder.joins()
        ? new LengthBuckets(encoder.config().batches().batchTokens())
            .of(texts.stream().mapToInt(TokenSequence::length).toArray())
        : IntStream.range(0, texts.size()).mapToObj(place -> new int[] {place}).toList();
  }

  private Tensor compute(ModelSession by, List<TokenSequence> rows) {
    EncoderGraph graph = encoder.graph();
    List<NamedTensor> inputs =
        new TokenTensors(rows, encoder.padToken()).inputs(graph.called().inputs());
    try {
      Tensor computed = by.run(graph.called(), inputs, List.of(graph.output())).getFirst().tensor();
      return require(computed, rows);
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  private Tensor require(Tensor computed, List<TokenSequence> rows) {
    int longest = rows.stream().mapToInt(TokenSequence::length).max().orElseThrow();
    boolean fits =
        computed.shape().rank() == encoder.graph().output().shape().rank()
            && computed.shape().dim(0) == rows.size()
            && (!encoder.graph().needsPooling() || computed.shape().dim(1) == longest);
    if (!fits) {
      computed.close();
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "output '%s' has shape %s for %d texts of %d tokens"
              .formatted(encoder.graph().output().name(), computed.shape(), rows.size(), longest));
    }
    return computed;
  }

  private static List<NamedTensor> outputs(EncodedTexts answers, List<TensorSpec> wanted) {
    var outputs = new ArrayList<NamedTensor>(wanted.size());
    try {
      wanted.forEach(spec -> outputs.add(answers.output(spec.name())));
      return outputs;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(outputs);
      throw e;
    }
  }
}
