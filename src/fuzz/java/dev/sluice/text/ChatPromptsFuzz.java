package dev.sluice.text;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.InputFile;
import dev.sluice.fuzz.Rejection;
import dev.sluice.text.jinja.value.MarkedText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Prompts of conversations, by the digit in front: 0 a {@code chat_template.jinja} renders a given
 * conversation, 1 so does what a {@code tokenizer_config.json} has, 2 a given template renders a
 * conversation.
 */
final class ChatPromptsFuzz implements FuzzTarget {
  private static final int LONGEST = 1 << 14;

  private static final String TEMPLATE =
      """
      {%- for t in tools or [] %}{{ t | tojson(indent=2) }}{% endfor -%}
      {%- for m in messages %}
      {%- set c = m.content if m.content is string else m.content | join(' ') -%}
      <|{{ m['role'] | upper }}|>{{ (c or '') | trim }}
      {%- for call in m.tool_calls or [] %}{{ call.function.arguments | tojson }}{% endfor %}
      {{- c.split('</think>')[-1].strip() if '</think>' in c else c[1:-1:2] }}
      {%- if n is defined %}{{ n + 1 }}{{ n * 2 }}{{ n // 3 }}{{ n % 7 }}{{ n | int }}{% endif -%}
      {%- for k, v in m | dictsort %}{{ k }}={{ v }}{% if not loop.last %},{% endif %}{% endfor %}
      {%- endfor %}{% if add_generation_prompt %}<|ASSISTANT|>{% endif %}
      """;

  private static final String CONVERSATION =
      """
      {"messages": [{"role": "system", "content": "Be b\\u00f6se"},
       {"role": "user", "content": "1 < 2 <think>x</think> y "},
       {"role": "assistant", "content": "", "tool_calls": [{"type": "function",
        "function": {"name": "f", "arguments": {"a": [1, 2.5, null, true, {"b": "c"}]}}}]}],
       "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
       "n": 7, "text": "a,b", "list": [3, 1, 2], "map": {"k": "v", "j": 1}}
      """;

  private final InputFile template = new InputFile("chat_template.jinja");
  private final InputFile config = new InputFile("tokenizer_config.json");
  private final ChatPrompts given = read(template.with(TEMPLATE.getBytes(StandardCharsets.UTF_8)));

  @Override
  public void accept(byte[] input) throws IOException {
    var bytes = new InputBytes(input);
    switch (bytes.below(3)) {
      case 0 -> requireBounded(template.with(bytes.rest()));
      case 1 -> requireBounded(config.with(bytes.rest()));
      default -> requireBounded(given, bytes.text());
    }
  }

  private static void requireBounded(Path file) {
    ChatPrompts prompts = Rejection.request(() -> read(file));
    if (prompts != null) {
      requireBounded(prompts, CONVERSATION);
    }
  }

  private static ChatPrompts read(Path file) {
    return ChatPrompts.read(Objects.requireNonNull(file.getParent()));
  }

  private static void requireBounded(ChatPrompts prompts, String conversation) {
    MarkedText prompt = Rejection.request(() -> prompts.prompt(conversation, LONGEST));
    if (prompt != null && prompt.toString().length() > LONGEST) {
      throw new AssertionError("a prompt of " + prompt.toString().length() + " characters");
    }
  }

  /** A template is a program: its steps are bounded, and with them what it makes. */
  @Override
  public long bytesPerByte() {
    return 64L << 20;
  }
}
