package dev.sluice.text.jinja;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.text.jinja.value.Functions;
import dev.sluice.text.jinja.value.MarkedText;
import dev.sluice.text.jinja.value.Rendering;
import dev.sluice.text.jinja.value.TemplateException;
import dev.sluice.text.jinja.value.Value;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** A chat template: makes a prompt of the messages of a conversation. Immutable; any thread. */
public final class ChatTemplate {
  private static final int LONGEST = 1 << 20;

  private final Statement statement;
  private final Map<String, Value> own = new LinkedHashMap<>();

  private ChatTemplate(Statement statement) {
    this.statement = statement;
    own.putAll(Functions.all());
  }

  /**
   * Parses a template.
   *
   * @param source as models come with it
   * @param own what else the template knows by name, such as {@code bos_token}: its own text
   * @throws TemplateException if it is wrong, or has something that is not supported: the line, and
   *     what
   */
  public static ChatTemplate parse(String source, Map<String, String> own) {
    if (source.length() > LONGEST) {
      throw new TemplateException("the template is longer than " + LONGEST + " characters");
    }
    var template =
        new ChatTemplate(bounded(() -> StatementParser.template(TemplateLexer.tokens(source))));
    own.forEach((name, text) -> template.own.put(name, MarkedText.own(text)));
    return template;
  }

  /**
   * Returns the prompt for a request.
   *
   * @param given the request's variables, by name: texts in them stay marked as given
   * @param longest characters that it may have
   * @param now the time, for templates that write the date
   * @throws TemplateException if the template refuses them or cannot use them, or the prompt
   *     becomes too long
   */
  public MarkedText render(Map<String, JsonNode> given, int longest, Supplier<ZonedDateTime> now) {
    Scope scope = Scope.of(new Rendering(longest, now));
    return bounded(() -> {
      given.forEach((name, json) -> scope.set(name, GivenValue.of(json)));
      // Last, so that no request takes the place of what is the template's own.
      own.forEach(scope::set);
      return statement.text(scope.inner());
    });
  }

  /** Returns what is made, unless that nests deeper than the thread can. */
  private static <T> T bounded(Supplier<T> made) {
    try {
      return made.get();
    } catch (StackOverflowError _) {
      throw new TemplateException("the template or the request is nested too deep");
    }
  }
}
