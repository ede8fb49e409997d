package dev.sluice.inference.explain;

/** The source of the explanations of a model's answers, as its settings say. */
public sealed interface ExplanationSource {
  /** There are none. */
  record Nothing() implements ExplanationSource {}

  /** Another model here takes the same instances and gives the explanations. */
  record Model(String name) implements ExplanationSource {}

  /** {@link Explainer#explain} runs the model itself on changed instances. */
  record Sampling() implements ExplanationSource {}
}
