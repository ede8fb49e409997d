package dev.sluice.serving;

import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.StreamConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.generator.Generator;
import dev.sluice.scheduling.generator.LoopProof;
import dev.sluice.scheduling.prefix.PrefixCache;
import dev.sluice.serving.worker.SessionExecutor;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether streams of different lengths advance together, and whether prompts run in chunks:
 * a model that is run in a loop proves both when it is loaded. On a loading worker, or the thread
 * of {@code sluice check}.
 *
 * @param generator the loop
 * @param metadata the model as its runtime declares it
 */
record StreamLengths(Generator generator, ModelMetadata metadata, ModelId id, ModelConfig config) {
  private static final Logger LOG = LoggerFactory.getLogger(StreamLengths.class);
  private static final String ONE_SIZE = "its caches are of one size, with a position for each row";

  /** A lease for runs while the model is loaded. */
  private record LoadingLease(ModelId id, ModelMetadata metadata) implements ModelLease {
    @Override
    public void release() {
      // Nothing else uses the model yet.
    }
  }

  /**
   * Lets streams run as the settings want it, as far as the model proves that it can.
   *
   * @param prefixes of its prompts; taken over
   */
  void join(ModelSession session, PrefixCache prefixes) {
    StreamConfig stream = config.stream();
    int most = config.batching().joined() && hasMask() ? stream.maxPadding() : 0;
    int chunk = hasPrompts() ? stream.prefillChunk() : 0;
    boolean reuses = hasPrompts() && hasMask() && stream.prefixes().limit() > 0;
    boolean preempts = needsPreemption() && stream.preemption();
    if (most > 0 || chunk > 0 || reuses || preempts) {
      List<LoopProof> proofs = prove(session);
      generator.use(proofs, most, chunk, prefixes, preempts);
      for (LoopProof proof : proofs) {
        if (most > 0 && !proof.apart().isEmpty()) {
          log(proof, proof.apart(), "streams of different lengths are not joined");
        }
        if (chunk > 0) {
          proof.whole().ifPresent(why -> log(proof, why, "prompts run whole, not in chunks"));
        }
        if (reuses && proof.whole().isEmpty()) {
          proof.afresh().ifPresent(why -> log(proof, why, "prompts share no prefixes"));
        }
        if (preempts) {
          proof.whole().ifPresent(why -> log(proof, why, "streams are not preempted"));
        }
      }
    }
  }

  private void log(LoopProof proof, String reason, String text) {
    LOG.atInfo()
        .addKeyValue("model", id)
        .addKeyValue("signature", proof.signature())
        .addKeyValue("reason", reason)
        .log(text);
  }

  private boolean hasPrompts() {
    return config.stream().generator().flatMap(GeneratorConfig::next).isPresent();
  }

  /** Returns whether a stream may find the memory for its caches with one of a lower priority. */
  private boolean needsPreemption() {
    return hasPrompts() && config.stream().cacheMemory() > 0 && config.queue().priorityLevels() > 1;
  }

  private boolean hasMask() {
    return config.stream().generator().flatMap(GeneratorConfig::mask).isPresent();
  }

  private List<LoopProof> prove(ModelSession session) {
    return generator.prove(new LoadingLease(id, metadata), new SessionExecutor(session));
  }

  private static LoopProof hardest(List<LoopProof> proofs) {
    return proofs.stream()
        .filter(proof -> !proof.apart().isEmpty())
        .findFirst()
        .orElse(proofs.getFirst());
  }

  /** Returns how streams run, in one sentence, and what would let them run together. */
  String advice(ModelSession session) {
    List<LoopProof> proofs = prove(session);
    return lengths(hardest(proofs))
        + "; "
        + prompts(proofs)
        + (needsPreemption() ? "; " + preemption(proofs) : "");
  }

  private String preemption(List<LoopProof> proofs) {
    if (proofs.stream().anyMatch(proof -> proof.whole().isPresent())) {
      return "streams are not preempted, for the same reason";
    }
    return config.stream().preemption()
        ? "streams of lower priorities are preempted where memory for caches is missing"
        : "streams of lower priorities would be preempted without stream.preemption: false";
  }

  private String prompts(List<LoopProof> proofs) {
    return proofs.stream()
        .flatMap(proof -> proof.whole().stream())
        .findFirst()
        .map("prompts run whole: "::concat)
        .orElseGet(() -> chunks() + "; " + prefixes(proofs));
  }

  private String prefixes(List<LoopProof> proofs) {
    return proofs.stream()
        .flatMap(proof -> proof.afresh().stream())
        .findFirst()
        .map("prompts share no prefixes: "::concat)
        .orElse(
            config.stream().prefixes().limit() == 0
                ? "prefixes that prompts share would be computed once without"
                    + " stream.prefixes.shared_by: none"
                : "prefixes that prompts share are computed once");
  }

  private String chunks() {
    int chunk = config.stream().prefillChunk();
    return chunk == 0
        ? "prompts would run in chunks without stream.prefill_chunk: 0"
        : "prompts run in chunks of " + chunk + " tokens";
  }

  private String lengths(LoopProof proof) {
    if (!proof.apart().isEmpty()) {
      return "streams of different lengths run apart: " + proof.apart();
    }
    String proved =
        proof.side().map(side -> side + " padding does not change its answers").orElse(ONE_SIZE)
            + ": streams of different lengths ";
    if (!config.batching().joined()) {
      return proved + "would advance together with max_batch_size: 16 in model.yml";
    }
    return proof.side().isPresent() && config.stream().maxPadding() == 0
        ? proved + "would advance together without stream.max_padding: 0"
        : proved
            + "advance together"
            + (proof.inPlace().isEmpty() ? "" : ", their caches written in place");
  }
}
