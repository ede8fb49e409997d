package dev.sluice.scheduling.generator;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.inference.tokens.ModelTokenizer;
import dev.sluice.scheduling.BatchExecutor;
import dev.sluice.scheduling.prefix.PrefixCache;
import dev.sluice.scheduling.prefix.StreamTokens;
import dev.sluice.scheduling.stream.StreamPlan;
import dev.sluice.scheduling.stream.StreamSteps;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.Shape;
import dev.sluice.text.BoundedTokenizer;
import dev.sluice.text.TokenCodec;
import dev.sluice.text.constraint.ConstrainedText;
import dev.sluice.text.constraint.Constraints;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model whose signatures are run in a loop. Those that lack what the settings name are not
 * offered.
 */
public final class Generator implements StreamPlan, AutoCloseable {
  /** As much work as a worker is for: the time that a text takes is known only afterwards. */
  private static final long TOKENIZING = 1L << 30;

  private final Map<String, GenerationLoop> loops = new LinkedHashMap<>();
  private final Optional<Tokenizer> tokenizer;
  private final LongSupplier nanoTime;
  private final long work;
  private final StreamTokens counts = new StreamTokens();

  private @Nullable PrefixCache kept;

  /** By signature; one that is not there has proved nothing. */
  private Map<String, ProvenLoop> proven = Map.of();

  /**
   * Finds what the settings name in the model.
   *
   * @param model as its runtime declares it
   * @param codec of the choices, if the settings want text
   * @param nanoTime the clock of {@code stop.time}
   * @throws InferenceException with INVALID_ARGUMENT if no signature has all of it: what the first
   *     one lacks
   * @throws ConfigException if the model has not all tokens that are to end its streams
   */
  public Generator(
      GeneratorConfig config,
      ModelMetadata model,
      Optional<TokenCodec> codec,
      LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.tokenizer =
        codec.map(texts ->
            new Tokenizer(
                config.text().orElseThrow(),
                texts,
                config.next().orElseThrow(),
                new Constraints(texts.bytes(), texts.toolCalls())));
    InferenceException first = null;
    for (Signature signature : model.signatures().values()) {
      try {
        loops.put(signature.name(), GenerationLoop.of(config, signature));
      } catch (InferenceException e) {
        first = first == null ? e : first;
      }
    }
    if (loops.isEmpty()) {
      throw first == null ? InferenceException.invalid("the model has no signature") : first;
    }
    config.next().ifPresent(next -> requireStops(config.stop().tokens(), tokens(next)));
    this.work = loops.values().stream().mapToLong(GenerationLoop::stateBytes).max().orElse(0);
  }

  /** Returns how many tokens the model has, by its logits or its tokenizer; negative: unknown. */
  private long tokens(GeneratorConfig.Next next) {
    long candidates =
        loops.values().stream().mapToLong(loop -> loop.candidates(next)).max().orElse(Shape.ANY);
    return candidates >= 0
        ? candidates
        : tokenizer.map(words -> words.codec().size()).orElse(Shape.ANY);
  }

  private static void requireStops(List<Integer> stops, long tokens) {
    List<Integer> unknown =
        tokens < 0 ? List.of() : stops.stream().filter(stop -> stop >= tokens).toList();
    if (!unknown.isEmpty()) {
      throw new ConfigException(
          ("stream.stop.tokens has %s (without it: eos_token_id of the model's files); the model"
                  + " has tokens from 0 to %d")
              .formatted(unknown, tokens - 1));
    }
  }

  /**
   * Has the model itself prove how its streams may run. While nothing else runs it.
   *
   * @param lease of the model, with nothing to release
   * @return by signature
   */
  public List<LoopProof> prove(ModelLease lease, BatchExecutor model) {
    return loops.values().stream().map(loop -> prove(new ProofModel(loop, lease, model))).toList();
  }

  /** Tries left padding first: most decoders append to their caches, behind whatever is there. */
  private static LoopProof prove(ProofModel model) {
    String signature = model.loop().called().name();
    Optional<String> whole = new ChunkProof(model).obstacle();
    Optional<String> afresh = whole.or(() -> new PrefixProof(model).obstacle());
    if (model.loop().hasStepsOfOneSize()) {
      return new LoopProof(signature, Optional.empty(), "", whole, afresh, Map.of());
    }
    var obstacles = new LinkedHashSet<String>();
    for (PaddingSide side : PaddingSide.values()) {
      Optional<String> obstacle = new PaddingProof(model, side, false).obstacle();
      if (obstacle.isEmpty()) {
        Map<String, String> inPlace = writesInPlace(model, side) ? model.loop().caches() : Map.of();
        return new LoopProof(signature, Optional.of(side), "", whole, afresh, inPlace);
      }
      obstacles.add(obstacle.get());
    }
    return new LoopProof(
        signature, Optional.empty(), String.join("; ", obstacles), whole, afresh, Map.of());
  }

  /** Only a model that writes where its mask ends can do so in place. */
  private static boolean writesInPlace(ProofModel model, PaddingSide side) {
    return side == PaddingSide.RIGHT && new PaddingProof(model, side, true).obstacle().isEmpty();
  }

  /**
   * Lets streams run as the model has proved. Before the first stream.
   *
   * @param maxPadding elements by which the lengths of streams that run together may differ
   * @param chunk tokens of a prompt that run at once; 0: all
   * @param prefixes what prompts may begin with; taken over
   * @param preempts whether streams may be preempted
   */
  public void use(
      List<LoopProof> proofs, int maxPadding, int chunk, PrefixCache prefixes, boolean preempts) {
    kept = prefixes;
    var found = new LinkedHashMap<String, ProvenLoop>();
    for (LoopProof proof : proofs) {
      found.put(
          proof.signature(),
          new ProvenLoop(
              proof.side().orElse(PaddingSide.LEFT),
              proof.side().isPresent() ? maxPadding : 0,
              proof.whole().isPresent() ? 0 : chunk,
              proof.inPlace(),
              proof.afresh().isEmpty() && prefixes.isUsed()
                  ? Optional.of(prefixes)
                  : Optional.empty(),
              preempts && proof.whole().isEmpty()));
    }
    proven = Map.copyOf(found);
  }

  /**
   * Checks that the size of the caches is known before a stream begins.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming an input whose size is not
   */
  public void requireKnownCaches() {
    loops.values().forEach(loop -> loop.cache().requireKnown());
  }

  /** Returns the counts of its streams' tokens. */
  public StreamTokens tokens() {
    return counts;
  }

  /** Returns the tokenizer of its texts; empty if it takes numbers. */
  public Optional<ModelTokenizer> texts() {
    return tokenizer.map(words ->
        new BoundedTokenizer(words.codec(), words.config().maxLength(), words.config().context()));
  }

  /** Returns the model as clients see it. */
  public ModelMetadata shown(ModelMetadata model) {
    var signatures = new LinkedHashMap<String, Signature>();
    loops.forEach((name, loop) -> signatures.put(name, shown(loop)));
    ModelMetadata shown = model.withSignatures(signatures);
    return tokenizer.isPresent()
        ? shown.withParameters(SamplingParameters.NAMES_WITH_TEXT).withWhole()
        : shown.withParameters(SamplingParameters.NAMES);
  }

  private Signature shown(GenerationLoop loop) {
    return tokenizer.map(words -> words.shown(loop.shownForTexts())).orElse(loop.shown());
  }

  @Override
  public long work() {
    return tokenizer.isPresent() ? Math.max(work, TOKENIZING) : work;
  }

  /**
   * Returns how many answers a request asks for, each of which is a stream of its own.
   *
   * @throws InferenceException with INVALID_ARGUMENT if that is no number, or too many
   */
  public static int answers(InferenceRequest request) {
    return new SamplingParameters(request.options().parameters()).answers();
  }

  /**
   * Requires that a request asks for one answer: several are streams of their own.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it does not
   */
  public static void requireOneAnswer(InferenceRequest request) {
    new SamplingParameters(request.options().parameters()).requireOneAnswer();
  }

  @Override
  public StreamSteps start(InferenceRequest request) {
    requireOneAnswer(request);
    GenerationLoop loop = loops.get(request.signature().name());
    if (loop == null) {
      throw InferenceException.invalid(
          "the model has no signature '" + request.signature().name() + "'");
    }
    return tokenizer.isPresent()
        ? spoken(tokenizer.get(), loop, request)
        : steps(loop, request, Integer.MAX_VALUE, null);
  }

  private DecodeSteps steps(
      GenerationLoop loop,
      InferenceRequest request,
      int room,
      @Nullable ConstrainedText constraint) {
    ProvenLoop found = proven.getOrDefault(loop.called().name(), ProvenLoop.NOTHING);
    return new DecodeSteps(loop, request, room, found, constraint, counts, nanoTime);
  }

  private StreamSteps spoken(Tokenizer words, GenerationLoop loop, InferenceRequest request) {
    InferenceRequest asked = words.asked(request, loop);
    try {
      return words.steps(
          request, asked, (room, constraint) -> steps(loop, asked, room, constraint));
    } catch (RuntimeException | Error e) {
      asked.close();
      throw e;
    }
  }

  /** Frees what is kept for the next streams. Those that there are go on. */
  @Override
  public void close() {
    tokenizer.ifPresent(words -> words.constraints().close());
    if (kept != null) {
      kept.close();
    }
  }
}
