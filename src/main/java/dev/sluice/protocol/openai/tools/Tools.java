package dev.sluice.protocol.openai.tools;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.protocol.codec.JsonWriter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a request says of the functions that its model may call. Immutable; any thread.
 *
 * @param functions that there are
 * @param choice whether they are to be called
 * @param parallel whether an answer may have several calls
 */
public record Tools(List<ToolFunction> functions, ToolChoice choice, boolean parallel) {
  /** No functions. */
  public static final Tools NONE = new Tools(List.of(), new ToolChoice.Auto(), true);

  /** The parameter for the model that has the strict functions. */
  public static final String STRICT_TOOLS = "strict_tools";

  private static final int MOST = 128;

  /**
   * @throws InferenceException with INVALID_ARGUMENT, naming {@code tools} or {@code tool_choice},
   *     if a call is forced that there is no function for, there are too many, or two of one name
   */
  public Tools {
    functions = List.copyOf(functions);
    if (functions.size() > MOST) {
      throw InferenceException.invalid(
          "parameter \"tools\" is a list of %d; wanted %d functions at most"
              .formatted(functions.size(), MOST));
    }
    requireDistinctNames(functions);
    if (choice instanceof ToolChoice.Required && functions.isEmpty()) {
      throw InferenceException.invalid(
          "parameter \"tool_choice\" is \"required\"; wanted it beside tools only");
    }
    if (choice instanceof ToolChoice.Named(String name) && !names(functions).contains(name)) {
      throw InferenceException.invalid(
          "parameter \"tool_choice\" is the function \"%s\"; wanted one of tools"
              .formatted(BoundedText.cut(name, 100)));
    }
  }

  /** A call names its function, and nothing else says which one is meant. */
  private static void requireDistinctNames(List<ToolFunction> functions) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < functions.size(); i++) {
      String name = functions.get(i).name();
      if (name.isEmpty() || !names.add(name)) {
        throw InferenceException.invalid(
            "parameter \"tools[%d]\" is a function named \"%s\"%s; wanted a name of its own"
                .formatted(i, BoundedText.cut(name, 100), name.isEmpty() ? "" : " again"));
      }
    }
  }

  /** Functions that are strict, of those that the model may call by itself. */
  private List<ToolFunction> strict() {
    return functions.stream().filter(ToolFunction::strict).toList();
  }

  private static Set<String> names(List<ToolFunction> functions) {
    return functions.stream().map(ToolFunction::name).collect(Collectors.toUnmodifiableSet());
  }

  /** Returns whether the model is shown the functions, and may call them. */
  public boolean areShown() {
    return !functions.isEmpty() && !(choice instanceof ToolChoice.None);
  }

  private boolean isForced() {
    return choice instanceof ToolChoice.Required || choice instanceof ToolChoice.Named;
  }

  /**
   * Adds what goes to the model beside its prompt: a constraint if a call is forced, or a function
   * is strict. Another form of the answer holds for all of it, and leaves no room for calls.
   *
   * @param format the parameter that may give the answer another form
   * @throws InferenceException with INVALID_ARGUMENT, naming {@code tool_choice}, if a call is
   *     forced beside another form
   */
  public void addTo(Map<String, ParameterValue> parameters, String format) {
    boolean hasForm = parameters.containsKey("json_schema") || parameters.containsKey("regex");
    if (isForced() && hasForm) {
      throw InferenceException.invalid(
          "parameter \"tool_choice\" is there beside another form of the answer; wanted \"auto\" or"
              + " \"none\" with %s, json_schema or regex".formatted(format));
    }
    parameters.putAll(parameters(hasForm ? List.of() : strict()));
  }

  private Map<String, ParameterValue> parameters(List<ToolFunction> strict) {
    if (!areShown()) {
      return Map.of();
    }
    return switch (choice) {
      case ToolChoice.None _, ToolChoice.Auto _ -> marked(strict);
      case ToolChoice.Required _ -> constraint(parallel ? "calls" : "call", functions);
      case ToolChoice.Named(String name) ->
          constraint(
              "arguments", functions.stream().filter(each -> each.name().equals(name)).toList());
    };
  }

  private static Map<String, ParameterValue> marked(List<ToolFunction> strict) {
    var marked = new ParameterValue.Flag(true);
    if (strict.isEmpty()) {
      return Map.of("tool_calls", marked);
    }
    String json = functions(new JsonWriter(256).raw('{'), strict);
    return Map.of("tool_calls", marked, STRICT_TOOLS, new ParameterValue.Text(json));
  }

  private static Map<String, ParameterValue> constraint(String text, List<ToolFunction> functions) {
    JsonWriter out = new JsonWriter(256).raw("{\"text\":").string(text).raw(',');
    return Map.of("tools", new ParameterValue.Text(functions(out, functions)));
  }

  /** Writes functions as the last member of an object, and returns all that was written. */
  private static String functions(JsonWriter out, List<ToolFunction> functions) {
    out.raw("\"functions\":");
    String before = "[";
    for (ToolFunction function : functions) {
      out.raw(before).raw("{\"name\":").string(function.name());
      if (!function.parameters().isEmpty()) {
        byte[] schema = function.parameters().getBytes(StandardCharsets.UTF_8);
        out.raw(",\"parameters\":").raw(MemorySegment.ofArray(schema));
      }
      out.raw('}');
      before = ",";
    }
    return out.raw("]}").toBuffer().toString(StandardCharsets.UTF_8);
  }

  /**
   * Returns the parser of an answer.
   *
   * @param form in which the model writes calls; empty if that is not known
   * @param streamed whether calls are passed on before they have ended
   * @return empty if all of the answer is text
   */
  public Optional<ToolCallParser> parser(Optional<ToolCallForm> form, boolean streamed) {
    if (!areShown()) {
      return Optional.empty();
    }
    return switch (choice) {
      case ToolChoice.None _ -> Optional.empty();
      case ToolChoice.Auto _ ->
          form.map(known ->
              ToolCallParser.free(names(functions), names(strict()), known, parallel, streamed));
      case ToolChoice.Required _ -> Optional.of(ToolCallParser.list(names(functions), parallel));
      case ToolChoice.Named(String name) -> Optional.of(ToolCallParser.arguments(name));
    };
  }
}
