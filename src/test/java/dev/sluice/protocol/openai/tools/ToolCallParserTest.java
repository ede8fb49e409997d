package dev.sluice.protocol.openai.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.tokens.ToolCallForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Answers are shown as text with calls as {@code ⟦name arguments⟧}; \n is a line's end. */
class ToolCallParserTest {
  private static final Set<String> FUNCTIONS = Set.of("weather", "now");

  private static ToolCallParser parser(ToolCallForm form, boolean streamed) {
    return ToolCallParser.free(FUNCTIONS, Set.of(), form, true, streamed);
  }

  private static List<ToolEvent> byCharacter(ToolCallParser parser, String said) {
    List<ToolEvent> events = new ArrayList<>();
    said.codePoints().forEach(each -> events.addAll(parser.append(Character.toString(each))));
    events.addAll(parser.end());
    return events;
  }

  private static List<ToolEvent> atOnce(ToolCallParser parser, String said) {
    List<ToolEvent> events = new ArrayList<>(parser.append(said));
    events.addAll(parser.end());
    return events;
  }

  private static String shown(List<ToolEvent> events) {
    return events.stream()
        .map(event ->
            switch (event) {
              case ToolEvent.Text(String text) -> text;
              case ToolEvent.Begin(int _, String _, String name) -> "⟦" + name + " ";
              case ToolEvent.Arguments(int _, String json) -> json;
              case ToolEvent.End(int _) -> "⟧";
            })
        .collect(Collectors.joining())
        .replace("\n", "\\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      textBlock =
          """
          HERMES ~ It rains. ~ It rains.
          HERMES ~ <tool_call>\\n{"name": "weather", "arguments": {"city": "Rom é🙂", "days": [1, 2.5]}}\\n</tool_call> ~ ⟦weather {"city": "Rom é🙂", "days": [1, 2.5]}⟧
          HERMES ~ I look.\\n\\n<tool_call>{"name": "now", "arguments": {}}</tool_call> ~ I look.⟦now {}⟧
          HERMES ~ <tool_call>{"name":"now","arguments":{}}</tool_call>\\n<tool_call>{"name":"weather","arguments":{"a":"}"}}</tool_call>  ~ ⟦now {}⟧⟦weather {"a":"}"}⟧
          HERMES ~ <tool_call>{"arguments": {"a": {"name": "x"}}, "name": "weather"}</tool_call> ~ ⟦weather {"a": {"name": "x"}}⟧
          HERMES ~ <tool_call>{"name": "now", "arguments": {}} ~ ⟦now {}⟧
          HERMES ~ <tool_call>[{"name": "now", "arguments": {}}]</tool_call> ~ ⟦now {}⟧
          HERMES ~ <tool_call>{"name": "now", "arguments": {}}</tool_call> Done. ~ ⟦now {}⟧Done.
          HERMES ~ <tool_call>{"name": "now", "arguments": {"a": "</tool_call>"}}</tool_call> ~ ⟦now {"a": "</tool_call>"}⟧
          HERMES ~ {"name": "now", "arguments": {}} ~ {"name": "now", "arguments": {}}
          LLAMA ~ {"name": "weather", "parameters": {"city": "Rome"}} ~ ⟦weather {"city": "Rome"}⟧
          LLAMA ~ {"name": "now", "arguments": {}}; {"name": "weather", "parameters": {"a": 1}} ~ ⟦now {}⟧⟦weather {"a": 1}⟧
          LLAMA ~ <|python_tag|>{"type": "function", "name": "now", "parameters": {}} ~ ⟦now {}⟧
          LLAMA ~ I look. <|python_tag|>{"name": "now", "parameters": {}} ~ I look.⟦now {}⟧
          LLAMA ~ Look: {"name": "now", "parameters": {}} ~ Look: {"name": "now", "parameters": {}}
          LLAMA ~ {"weather": "sunny"} is what I have. ~ {"weather": "sunny"} is what I have.
          MISTRAL ~ [TOOL_CALLS][{"name": "weather", "arguments": {"city": "Rome"}}, {"name": "now", "arguments": {}}] ~ ⟦weather {"city": "Rome"}⟧⟦now {}⟧
          MISTRAL ~ [TOOL_CALLS] [{"name": "now", "arguments": {}, "id": "VvvODy9mT"}] ~ ⟦now {}⟧
          MISTRAL ~ I look.[TOOL_CALLS]weather[ARGS]{"city": "Rome"} ~ I look.⟦weather {"city": "Rome"}⟧
          MISTRAL ~ [TOOL_CALLS]now{}[TOOL_CALLS]weather[CALL_ID]VvvODy9mT[ARGS]{"a": {}} ~ ⟦now {}⟧⟦weather {"a": {}}⟧
          """)
  void callsAreReadHoweverTheTextIsCut(ToolCallForm form, String given, String wanted) {
    String said = given.replace("\\n", "\n");
    assertThat(shown(atOnce(parser(form, false), said))).as("whole").isEqualTo(wanted);
    assertThat(shown(atOnce(parser(form, true), said))).as("streamed").isEqualTo(wanted);
    assertThat(shown(byCharacter(parser(form, true), said))).as("by letters").isEqualTo(wanted);
    assertThat(shown(byCharacter(parser(form, false), said))).as("held back").isEqualTo(wanted);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      textBlock =
          """
          HERMES ~ Say <tool_call> to call. ~ Say <tool_call> to call.
          HERMES ~ <tool_call>{"name": "delete", "arguments": {}}</tool_call> ~ <tool_call>{"name": "delete", "arguments": {}}</tool_call>
          HERMES ~ <tool_call>{"name": "now"}</tool_call> ~ <tool_call>{"name": "now"}</tool_call>
          HERMES ~ <tool_call>{"name": 7, "arguments": {}}</tool_call> ~ <tool_call>{"name": 7, "arguments": {}}</tool_call>
          HERMES ~ <tool_call>{"name": "now", "arguments": "{}"}</tool_call> ~ <tool_call>{"name": "now", "arguments": "{}"}</tool_call>
          HERMES ~ <tool_call>{"arguments": {"a":}, "name": "now"}</tool_call> ~ <tool_call>{"arguments": {"a":}, "name": "now"}</tool_call>
          HERMES ~ <tool_call>{"arguments": {"a": 1,}, "name": "now"}</tool_call> ~ <tool_call>{"arguments": {"a": 1,}, "name": "now"}</tool_call>
          HERMES ~ <tool_call>{"arguments": {"a": [1,]}, "name": "now"}</tool_call> ~ <tool_call>{"arguments": {"a": [1,]}, "name": "now"}</tool_call>
          HERMES ~ <tool_call>{'name': 'now'}</tool_call> ~ <tool_call>{'name': 'now'}</tool_call>
          HERMES ~ <tool_call><tool_call>{"name": "now", "arguments": {}}</tool_call> ~ <tool_call>⟦now {}⟧
          HERMES ~ <tool_ ~ <tool_
          HERMES ~ a <tool_call>{"name": "no ~ a <tool_call>{"name": "no
          LLAMA ~ <|python_tag|>brave.call(q="x") ~ <|python_tag|>brave.call(q="x")
          LLAMA ~ {"name": "Ann", "parameters": {}} ~ {"name": "Ann", "parameters": {}}
          MISTRAL ~ [TOOL_CALLS]nothing[ARGS]{} ~ [TOOL_CALLS]nothing[ARGS]{}
          MISTRAL ~ [TOOL_CALLS][[{"name": "now"}]] ~ [TOOL_CALLS][[{"name": "now"}]]
          MISTRAL ~ [TOOL_CALLS] ~ [TOOL_CALLS]
          """)
  void whatIsNoCallStaysText(ToolCallForm form, String said, String wanted) {
    assertThat(shown(atOnce(parser(form, false), said))).as("whole").isEqualTo(wanted);
    assertThat(shown(byCharacter(parser(form, true), said))).as("by letters").isEqualTo(wanted);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      textBlock =
          """
          {"id": 7, "name": "weather", "arguments": {"a": 1}} ~ ⟦weather {"a": 1}⟧
          {"arguments": {"a": 1}, "name": "weather"} ~ {"arguments": {"a": 1}, "name": "weather"}
          {"x": [1], "name": "weather", "arguments": {}} ~ {"x": [1], "name": "weather", "arguments": {}}
          {"arguments": {}, "name": "now"} ~ ⟦now {}⟧
          {"name": "rm", "parameters": {}} <|python_tag|>{"name": "weather", "parameters": {}} ~ {"name": "rm", "parameters": {}} <|python_tag|>{"name": "weather", "parameters": {}}
          {"name": "rm", "parameters": {}} <|python_tag|>{"name": "now", "parameters": {}} ~ {"name": "rm", "parameters": {}}⟦now {}⟧
          It is <|python_tag|> it. <|python_tag|>{"name": "weather", "parameters": {}} ~ It is <|python_tag|> it.⟦weather {}⟧
          """)
  void aCallOfAStrictFunctionIsOneOnlyWhereAConstraintHolds(String given, String wanted) {
    Set<String> strict = Set.of("weather");
    for (boolean streamed : new boolean[] {false, true}) {
      var parser = ToolCallParser.free(FUNCTIONS, strict, ToolCallForm.LLAMA, true, streamed);
      assertThat(shown(byCharacter(parser, given))).isEqualTo(wanted);
    }
  }

  @Test
  void aWholeAnswerKeepsACallWithWrongArgumentsAsTextAndAStreamEndsItThere() {
    String said = "<tool_call>{\"name\": \"now\", \"arguments\": {\"a\": tru}}</tool_call>";
    assertThat(shown(atOnce(parser(ToolCallForm.HERMES, false), said))).isEqualTo(said);
    assertThat(shown(byCharacter(parser(ToolCallForm.HERMES, true), said)))
        .isEqualTo("⟦now {\"a\": tru⟧}}</tool_call>");
  }

  @Test
  void aCallThatIsCutIsTextInAWholeAnswerAndEndsAsItIsInAStream() {
    String said = "<tool_call>{\"name\": \"now\", \"arguments\": {\"a\": \"b";
    assertThat(shown(atOnce(parser(ToolCallForm.HERMES, false), said))).isEqualTo(said);
    ToolCallParser streamed = parser(ToolCallForm.HERMES, true);
    assertThat(shown(byCharacter(streamed, said))).isEqualTo("⟦now {\"a\": \"b⟧");
    assertThat(streamed.hasBrokenCall()).isTrue();
  }

  @Test
  void textIsHeldBackOnlyAsLongAsItMayBeAMarker() {
    ToolCallParser parser = parser(ToolCallForm.HERMES, true);
    assertThat(parser.append("a <b> c")).containsExactly(new ToolEvent.Text("a <b> c"));
    assertThat(parser.append("\n<tool")).isEmpty();
    assertThat(parser.append("s>.")).containsExactly(new ToolEvent.Text("\n<tools>."));
    assertThat(parser.append(" ")).isEmpty();
    assertThat(parser.append("d")).containsExactly(new ToolEvent.Text(" d"));
  }

  @Test
  void argumentsArePassedOnAsTheyCome() {
    ToolCallParser parser = parser(ToolCallForm.HERMES, true);
    assertThat(parser.append("<tool_call>{\"name\": \"weather\", \"argu")).isEmpty();
    List<ToolEvent> begun = parser.append("ments\": {\"ci");
    assertThat(begun)
        .hasSize(2)
        .first()
        .isInstanceOfSatisfying(
            ToolEvent.Begin.class, begin -> assertThat(begin.id()).matches("[0-9A-Za-z]{9}"));
    assertThat(begun).last().isEqualTo(new ToolEvent.Arguments(0, "{\"ci"));
    assertThat(parser.append("ty\": 1")).containsExactly(new ToolEvent.Arguments(0, "ty\": 1"));
    assertThat(parser.append("}}</"))
        .containsExactly(new ToolEvent.Arguments(0, "}"), new ToolEvent.End(0));
    assertThat(parser.append("tool_call>\n")).isEmpty();
    assertThat(parser.end()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(ToolCallForm.class)
  void aStreamHoldsBackNoMoreThanItsBound(ToolCallForm form) {
    ToolCallParser parser = parser(form, true);
    String beginning = form.marker() + "{\"arguments\": {\"a\": \"";
    long passed = 0;
    List<ToolEvent> events = new ArrayList<>(parser.append(beginning));
    for (int i = 0; i < 2 * ToolCallParser.LONGEST; i += 64) {
      events.addAll(parser.append("x".repeat(64)));
      passed += 64;
      assertThat(beginning.length() + passed - shown(events).length())
          .isLessThanOrEqualTo(ToolCallParser.LONGEST);
    }
  }

  @Test
  void withoutParallelCallsTheFirstOneIsAll() {
    String said =
        "a[TOOL_CALLS][{\"name\": \"now\", \"arguments\": {}}, {\"name\": \"weather\","
            + " \"arguments\": {}}] b";
    var parser = ToolCallParser.free(FUNCTIONS, Set.of(), ToolCallForm.MISTRAL, false, true);
    assertThat(shown(byCharacter(parser, said))).isEqualTo("a⟦now {}⟧");
  }

  @Test
  void aForcedAnswerIsCallsOrArgumentsAlone() {
    var list = ToolCallParser.list(FUNCTIONS, true);
    String said =
        "[{\"name\": \"now\", \"arguments\": {}}, {\"name\":\"weather\",\"arguments\":{\"a";
    assertThat(shown(byCharacter(list, said))).isEqualTo("⟦now {}⟧⟦weather {\"a⟧");
    assertThat(list.hasBrokenCall()).isTrue();
    assertThat(list.hasWholeCalls()).isFalse();
    var arguments = ToolCallParser.arguments("weather");
    assertThat(shown(byCharacter(arguments, "{\"city\": \"[TOOL_CALLS]\"}")))
        .isEqualTo("⟦weather {\"city\": \"[TOOL_CALLS]\"}⟧");
    assertThat(arguments.hasWholeCalls()).isTrue();
    assertThat(ToolCallParser.arguments("now").end()).isEmpty();
    assertThat(byCharacter(ToolCallParser.list(FUNCTIONS, true), "[{\"name\": \"we")).isEmpty();
    assertThat(shown(byCharacter(ToolCallParser.list(FUNCTIONS, true), "[7]")))
        .as("of a model that heeds no constraints")
        .isEqualTo("[7]");
  }
}
