package dev.sluice.protocol.openai.tools;

/** Whether a model is to call functions. */
public sealed interface ToolChoice {
  /** It is shown none. */
  record None() implements ToolChoice {}

  /** It may call some, as it was trained to. */
  record Auto() implements ToolChoice {}

  /** Its answer is calls alone. */
  record Required() implements ToolChoice {}

  /** Its answer is the arguments of this function alone. */
  record Named(String function) implements ToolChoice {}
}
