package dev.sluice.protocol.openai.tools;

import java.util.Optional;

/** Whether a model is to call functions. */
public sealed interface ToolChoice {
  /** Returns the choice that a word is; empty if it is none. */
  static Optional<ToolChoice> of(String word) {
    return switch (word) {
      case "auto" -> Optional.of(new Auto());
      case "none" -> Optional.of(new None());
      case "required" -> Optional.of(new Required());
      default -> Optional.empty();
    };
  }

  /** It is shown none. */
  record None() implements ToolChoice {}

  /** It may call some, as it was trained to. */
  record Auto() implements ToolChoice {}

  /** Its answer is calls alone. */
  record Required() implements ToolChoice {}

  /** Its answer is the arguments of this function alone. */
  record Named(String function) implements ToolChoice {}
}
