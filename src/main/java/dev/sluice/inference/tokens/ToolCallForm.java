package dev.sluice.inference.tokens;

import java.util.Optional;

/** How models of a family write tool calls. */
public enum ToolCallForm {
  /** Hermes, Qwen: an object with name and arguments between two tags, for each call. */
  HERMES("<tool_call>", "</tool_call>"),

  /** Llama 3: an answer that is an object with name and parameters, or has one behind its tag. */
  LLAMA("<|python_tag|>", ""),

  /** Mistral: a list of objects, or the name of the function in front of its arguments. */
  MISTRAL("[TOOL_CALLS]", "");

  /** What may be between the tokens of calls: the white space of JSON, and no other. */
  public static final String SPACES = " \t\n\r";

  /** Stands in templates of Llama 3.2, which do not name the tag. */
  private static final String LLAMA_PROMPT = "{\"name\": function name, \"parameters\":";

  private static final String ARGUMENTS = "[ARGS]";
  private static final String ID = "[CALL_ID]";

  private final String marker;
  private final String end;

  ToolCallForm(String marker, String end) {
    this.marker = marker;
    this.end = end;
  }

  /** Returns whether a character is one of {@link #SPACES}. */
  public static boolean isSpace(int character) {
    return SPACES.indexOf(character) >= 0;
  }

  /** Returns the text in front of calls. */
  public String marker() {
    return marker;
  }

  /** Returns the text behind a call; empty if there is none. */
  public String end() {
    return end;
  }

  /** Returns whether an answer may begin with a call, without the text in front of calls. */
  public boolean beginsAnswers() {
    return this == LLAMA;
  }

  /** Returns whether the name of a function may stand in front of its arguments. */
  public boolean namesFunctions() {
    return this == MISTRAL;
  }

  /**
   * Returns the function that is named in front of arguments.
   *
   * @param written all that is there: the name, an id perhaps, and a tag perhaps
   */
  public static String named(String written) {
    String name = written.strip();
    name = name.endsWith(ARGUMENTS) ? name.substring(0, name.length() - ARGUMENTS.length()) : name;
    int id = name.indexOf(ID);
    return id < 0 ? name : name.substring(0, id);
  }

  /**
   * Returns the form that a chat template shows its model.
   *
   * @param template its source
   * @return empty if it shows none that is known
   */
  public static Optional<ToolCallForm> of(String template) {
    if (template.contains(MISTRAL.marker)) {
      return Optional.of(MISTRAL);
    }
    // The same tag has a function's tags within it in templates of Qwen3-Coder.
    if (template.contains(HERMES.marker) && !template.contains("<function=")) {
      return Optional.of(HERMES);
    }
    return template.contains(LLAMA.marker) || template.contains(LLAMA_PROMPT)
        ? Optional.of(LLAMA)
        : Optional.empty();
  }
}
