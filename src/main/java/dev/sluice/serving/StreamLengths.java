package dev.sluice.serving;

import dev.sluice.config.model.GeneratorConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.generator.Generator;
import dev.sluice.scheduling.generator.LoopProof;
import dev.sluice.serving.worker.SessionExecutor;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether streams of different lengths advance together: a model that is run in a loop
 * proves it when it is loaded. On a loading worker, or the thread of {@code sluice check}.
 *
 * @param generator the loop
 * @param metadata the model as its runtime declares it
 */
record StreamLengths(Generator generator, ModelMetadata metadata, ModelId id, ModelConfig config) {
  private static final Logger LOG = LoggerFactory.getLogger(StreamLengths.class);

  /** A lease for runs while the model is loaded. */
  private record LoadingLease(ModelId id, ModelMetadata metadata) implements ModelLease {
    @Override
    public void release() {
      // Nothing else uses the model yet.
    }
  }

  /** Lets streams of different lengths advance together if the settings want it. */
  void join(ModelSession session) {
    if (config.batching().joined() && config.stream().maxPadding() > 0 && hasMask()) {
      List<LoopProof> proofs = prove(session);
      generator.use(proofs, config.stream().maxPadding());
      proofs.stream().filter(proof -> proof.side().isEmpty()).forEach(this::log);
    }
  }

  private void log(LoopProof proof) {
    LOG.atInfo()
        .addKeyValue("model", id)
        .addKeyValue("signature", proof.signature())
        .addKeyValue("reason", proof.apart())
        .log("streams of different lengths are not joined");
  }

  private boolean hasMask() {
    return config.stream().generator().flatMap(GeneratorConfig::mask).isPresent();
  }

  private List<LoopProof> prove(ModelSession session) {
    return generator.prove(new LoadingLease(id, metadata), new SessionExecutor(session));
  }

  private static LoopProof hardest(List<LoopProof> proofs) {
    return proofs.stream()
        .filter(proof -> proof.side().isEmpty())
        .findFirst()
        .orElse(proofs.getFirst());
  }

  /** Returns what joining streams takes, in one sentence. */
  String advice(ModelSession session) {
    LoopProof proof = hardest(prove(session));
    if (proof.side().isEmpty()) {
      return "streams of different lengths run apart: " + proof.apart();
    }
    String proved =
        proof.side().get() + " padding does not change its answers: streams of different lengths ";
    if (!config.batching().joined()) {
      return proved + "would advance together with max_batch_size: 16 in model.yml";
    }
    return config.stream().maxPadding() == 0
        ? proved + "would advance together without stream.max_padding: 0"
        : proved + "advance together";
  }
}
