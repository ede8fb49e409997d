package dev.sluice.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.tokens.ToolCallForm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What templates are given, each in the forms that it takes. */
class ChatPromptsTest {
  private static final int LONGEST = 10_000;

  /** Writes texts and lists. */
  private static final String BOTH =
      "{% for m in messages %}{% if m.content is string %}<{{ m.content }}>{% else %}{% for p in"
          + " m.content %}{% if p['type'] == 'text' %}({{ p.text }}){% endif %}{% endfor %}{% endif"
          + " %}{% endfor %}";

  /** Writes lists alone: a text has no parts. */
  private static final String LISTS =
      "{% for m in messages %}{% for p in m.content | selectattr('type', 'equalto', 'text') %}({{"
          + " p.text }}){% endfor %}{% endfor %}";

  /** Leaves out calls beside a content, and wants arguments that are texts. */
  private static final String CALLS_OF_NONE =
      "{% for m in messages %}{% if m.content is none %}{% for c in m.tool_calls %}{{"
          + " c.function.name + ': ' + c.function.arguments }}{% endfor %}{% else %}<{{ m.content"
          + " }}>{% endif %}{% endfor %}";

  private static final String TOOL_USE =
      "{% for t in tools %}{{ t.function.name }}<tool_call>{% endfor %}{{ messages[0].content }}";

  @TempDir Path folder;

  private ChatPrompts prompts(String template) throws IOException {
    Files.writeString(folder.resolve("chat_template.jinja"), template);
    return ChatPrompts.read(folder);
  }

  private String prompt(String template, String messages) throws IOException {
    return prompts(template).prompt("{\"messages\": [" + messages + "]}", LONGEST).toString();
  }

  private String user(String template, String content) throws IOException {
    return prompt(template, "{\"role\": \"user\", \"content\": " + content + "}");
  }

  @Test
  void aTemplateThatKnowsPartsHasTheListAsItCame() throws IOException {
    String parts = "[{\"type\": \"text\", \"text\": \"a\"}, {\"type\": \"text\", \"text\": \"b\"}]";
    assertThat(user(BOTH, parts)).isEqualTo("(a)(b)");
    assertThat(user(BOTH, "\"ab\"")).isEqualTo("<ab>");
    assertThat(user(BOTH, "[]")).isEmpty();
    assertThat(user(LISTS, parts)).isEqualTo("(a)(b)");
  }

  @Test
  void aTemplateThatKnowsPartsAloneHasATextAsOne() throws IOException {
    assertThat(user(LISTS, "\"ab\"")).isEqualTo("(ab)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      textBlock =
          """
          {{ '<' + messages[0]['content'] + '>' }}   ! <a%nb>
          {{ messages[0].content }}                  ! a%nb
          {{ messages[0].content | trim }}           ! a%nb
          {{ messages[0].content | tojson }}         ! "a\\nb"
          {{ messages[0].content if messages[0].content is string }} ! a%nb
          {{ messages[0].content[0].text }}          !
          """)
  void aTemplateThatKnowsTextsHasTheLinesOfTheParts(String template, String expected)
      throws IOException {
    String parts = "[{\"type\": \"text\", \"text\": \"a\"}, {\"text\": \"b\", \"type\": \"text\"}]";
    assertThat(user(template, parts))
        .isEqualTo(expected == null ? "" : expected.replace("%n", "\n"));
    assertThat(user("{{ messages[0].content }}", "[]")).isEmpty();
  }

  @Test
  void whatIsNoTextIsLeftToTheTemplate() throws IOException {
    assertThat(user("{{ messages[0].content | length }}", "[{\"type\": \"image\"}]"))
        .isEqualTo("1");
  }

  @Test
  void aContentThatIsNullIsNone() throws IOException {
    String call =
        "{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"function\": {\"name\":"
            + " \"f\", \"arguments\": {\"a\": [1, \"é\"]}}}]}";
    assertThat(prompt(CALLS_OF_NONE, call)).isEqualTo("f: {\"a\": [1, \"é\"]}");
    assertThat(
            prompt(
                "{% for m in messages %}{% if m.content is none %}{{ m.tool_calls | tojson }}{%"
                    + " endif %}{% endfor %}",
                call))
        .isEqualTo("[{\"function\": {\"name\": \"f\", \"arguments\": {\"a\": [1, \"é\"]}}}]");
  }

  @ParameterizedTest
  @CsvSource({
    "{% for m in messages %}{{ '<' + m['content'] + '>' }}{% endfor %}, <>",
    "{% for m in messages %}<{{ m.content | trim }}>{% endfor %}, <>",
    "{% for m in messages %}<{{ m.content }}>{% for c in m.tool_calls %}{{ c.function.name }}{%"
        + " endfor %}{% endfor %}, <>f"
  })
  void aTemplateThatKnowsNoNoneHasAnEmptyText(String template, String expected) throws IOException {
    assertThat(
            prompt(
                template,
                "{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"function\":"
                    + " {\"name\": \"f\", \"arguments\": {}}}]}"))
        .isEqualTo(expected);
  }

  @Test
  void membersOfAMessageKeepTheirOrder() throws IOException {
    String message = "{\"role\": \"user\", \"content\": \"x\", \"name\": \"y\"}";
    assertThat(prompt("{{ messages | tojson }}", message)).isEqualTo("[" + message + "]");
  }

  @Test
  void aTemplateThatNeedsToolsServesConversationsWithThem() throws IOException {
    assertServesToolsAlone(
        prompts(TOOL_USE),
        "the model's chat template cannot be used without tools: line 1: none has no"
            + " elements");
  }

  @Test
  void aTemplateForToolUseAloneServesConversationsWithTools() throws IOException {
    Path others = Files.createDirectory(folder.resolve("additional_chat_templates"));
    Files.writeString(others.resolve("tool_use.jinja"), TOOL_USE);
    assertServesToolsAlone(
        ChatPrompts.read(folder),
        "the model has a chat template for conversations with tools alone");
  }

  private static void assertServesToolsAlone(ChatPrompts prompts, String why) {
    assertThat(prompts.problem()).isEmpty();
    assertThat(prompts.isBroken()).isFalse();
    assertThat(prompts.toolCalls()).hasValue(ToolCallForm.HERMES);
    assertThat(prompts.toolProblem()).hasValue(why);
    String conversation = "{\"messages\": [{\"role\": \"user\", \"content\": \"x\"}]%s}";
    String tools = ", \"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\"}}]";
    assertThat(prompts.prompt(conversation.formatted(tools), LONGEST)).hasToString("f<tool_call>x");
    assertThatThrownBy(() -> prompts.prompt(conversation.formatted(""), LONGEST))
        .isInstanceOf(InferenceException.class)
        .hasMessage(why);
  }

  @Test
  void aTemplateThatToolsDoNotMendIsBroken() throws IOException {
    ChatPrompts prompts = prompts("{{ messages[0].content % 2 }}");
    assertThat(prompts.isBroken()).isTrue();
    assertThat(prompts.toolProblem()).isEmpty();
  }
}
