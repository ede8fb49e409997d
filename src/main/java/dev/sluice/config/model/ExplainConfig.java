package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Explanation settings of a model.
 *
 * @param method how explanations are computed. {@code shapley}: Shapley values, from the model's
 *     predictions of changed rows
 * @param model model that explains instead: it takes the same instances, and its rows are the
 *     explanations
 * @param samples pairs of permutations for each instance, if the request does not say. More
 *     samples: smaller errors, more rows
 * @param maxSamples largest number of samples that a request may ask for
 * @param maxRows rows that one request may have the model predict
 * @param batchSize rows of one prediction
 * @param seed seed of the random numbers; the same seed gives the same scores
 * @param baseline value of every element of the baseline row, which stands for "nothing known"
 * @param baselineFile JSON list of baseline rows, a file in the model's folder, instead of {@code
 *     baseline}
 */
public record ExplainConfig(
    Method method,
    Optional<String> model,
    int samples,
    int maxSamples,
    int maxRows,
    int batchSize,
    int seed,
    double baseline,
    Optional<Path> baselineFile) {
  /** Algorithm by which Sluice computes explanations itself. */
  public enum Method {
    NONE,
    /** Shapley values, sampled by permutations. */
    SHAPLEY
  }

  public static final ExplainConfig DEFAULT =
      new ExplainConfig(
          Method.NONE, Optional.empty(), 32, 1024, 500_000, 64, 0, 0, Optional.empty());

  /** Fewer do not tell how far off they are. */
  public static final int FEWEST_SAMPLES = 2;

  private static final int MOST_SAMPLES = 1 << 20;
  private static final int MOST_ROWS = 1 << 26;
  private static final double LARGEST_ELEMENT = 1e14;
  private static final int LARGEST_BATCH = 4096;

  static ExplainConfig read(Section explain, ExplainConfig defaults) {
    int maxSamples =
        explain.number("max_samples", defaults.maxSamples, FEWEST_SAMPLES, MOST_SAMPLES);
    var read =
        new ExplainConfig(
            explain.choice("method", defaults.method),
            explain.text("model").or(() -> defaults.model),
            explain.number(
                "samples", Math.min(defaults.samples, maxSamples), FEWEST_SAMPLES, maxSamples),
            maxSamples,
            explain.number("max_rows", defaults.maxRows, 1, MOST_ROWS),
            explain.number("batch_size", defaults.batchSize, 1, LARGEST_BATCH),
            explain.number("seed", defaults.seed, 0, Integer.MAX_VALUE),
            explain
                .single(
                    "baseline",
                    Setting.decimalWanted(-LARGEST_ELEMENT, LARGEST_ELEMENT),
                    defaults.baseline)
                .map(value -> value.decimal(-LARGEST_ELEMENT, LARGEST_ELEMENT))
                .orElse(defaults.baseline),
            explain.text("baseline_file").map(Path::of).or(() -> defaults.baselineFile));
    if (read.model.isPresent() && read.method != Method.NONE) {
      throw explain.error(
          "model", "is " + read.model.get() + "; wanted either a model or a method, not both");
    }
    return read;
  }

  /** Returns the same settings for a model whose files are in a folder. */
  ExplainConfig in(Path folder) {
    return new ExplainConfig(
        method,
        model,
        samples,
        maxSamples,
        maxRows,
        batchSize,
        seed,
        baseline,
        baselineFile.map(
            file -> ModelFiles.within(folder, "explain.baseline_file", file.toString())));
  }
}
