package dev.sluice.serving.plugin;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The HTTP paths that loaded plugins answer. Any thread.
 *
 * <p>A lookup reads one concurrent map, without a lock. Claims are counted: a path stays while any
 * version that claims it is loaded.
 */
public final class PluginPaths {
  /** Versions of one model may overlap. */
  private record Claim(String model, int versions) {}

  private final Map<String, Claim> claims = new ConcurrentHashMap<>();
  private volatile Predicate<String> protocols = _ -> false;

  /**
   * Says which paths the protocols have. Called before the first model is loaded.
   *
   * @param taken returns whether every listener has a protocol with something at a path
   */
  public void reserve(Predicate<String> taken) {
    protocols = taken;
  }

  /** Returns the model whose plugin answers a path. */
  public Optional<String> modelAt(String path) {
    return Optional.ofNullable(claims.get(path)).map(Claim::model);
  }

  /**
   * Claims a path for one more version of a model.
   *
   * @throws InferenceException with FAILED_PRECONDITION if another model has it, or a protocol
   */
  void claim(String path, String model) {
    if (protocols.test(path)) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "java.path is %s, which a protocol answers on every listener".formatted(path));
    }
    claims.merge(path, new Claim(model, 1), PluginPaths::join);
  }

  private static Claim join(Claim known, Claim added) {
    if (!known.model.equals(added.model)) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "the path is answered by model '" + known.model + "' already (setting java.path)");
    }
    return new Claim(known.model, known.versions + 1);
  }

  /** Records that the version that had claimed the path is unloaded. */
  void leave(String path) {
    claims.computeIfPresent(
        path,
        (_, claim) -> claim.versions == 1 ? null : new Claim(claim.model, claim.versions - 1));
  }
}
