package dev.sluice.text.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.text.jinja.value.MarkedText;
import dev.sluice.text.jinja.value.TemplateException;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChatTemplateTest {
  private static final int LONGEST = 1_000;
  private static final JsonMapper JSON = new JsonMapper();
  private static final ZonedDateTime NOW =
      ZonedDateTime.of(2024, 2, 1, 13, 5, 9, 0, ZoneOffset.UTC);

  private static MarkedText rendered(String source, String given) {
    Map<String, JsonNode> variables = new HashMap<>();
    try {
      JSON.readTree(given)
          .properties()
          .forEach(each -> variables.put(each.getKey(), each.getValue()));
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
    return ChatTemplate.parse(source, Map.of("bos_token", "<s>"))
        .render(variables, LONGEST, () -> NOW);
  }

  /** Returns the text with brackets around what a request gave. */
  private static String marked(MarkedText text) {
    var out = new StringBuilder();
    boolean given = false;
    String all = text.toString();
    for (int i = 0; i <= all.length(); i++) {
      boolean is = i < all.length() && text.isGiven(i, i + 1);
      if (is != given) {
        out.append(is ? '[' : ']');
        given = is;
      }
      out.append(i < all.length() ? all.substring(i, i + 1) : "");
    }
    return out.toString();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '`',
      textBlock =
          """
          {{ '<' + x + '>' }}                     ! <[a-b c]>
          {{ '<' ~ x|trim ~ '>' }}                ! <[a-b c]>
          {{ x.split('-')[1] ~ '-' }}             ! [b c]-
          {{ x|replace('-', '+') }}               ! [a]+[b c]
          {{ 'a-b'|replace('a', x) }}             ! [a-b c]-b
          {{ x[2:] ~ x[0] ~ 'x' }}                ! [b ca]x
          {{ x|upper ~ x.title() }}               ! [A-B CA-B C]
          {{ [x, 'y']|join(', ') }}               ! [a-b c], y
          {{ {'k': x, x: 1}|tojson }}             ! {"k": "[a-b c]", "[a-b c]": 1}
          {{ [x] }}                               ! ['[a-b c]']
          {{ x * 2 ~ '-' }}                       ! [a-b ca-b c]-
          {{ x|reverse }}{{ x|first }}{{ x|length }} ! [c b-aa]5
          {% set y %}<{{ x }}>{% endset %}{{ y }} ! <[a-b c]>
          {% macro m(z) %}({{ z }}){% endmacro %}{{ m(x) }} ! ([a-b c])
          {% for c in x %}{{ c }}.{% endfor %}    ! [a].[-].[b].[ ].[c].
          {% for k, v in o.items() %}{{ k }}={{ v }}{% endfor %} ! [k]=[v]
          {{ '<%s>'|format(x) ~ '<{}>'.format(x) }} ! <[a-b c]><[a-b c]>
          {{ x|indent('> ', true) }}              ! > [a-b c]
          {{ ('<s>' if x else '') ~ x|default('d') }} ! <s>[a-b c]
          """)
  void textOfARequestStaysMarkedWhateverIsDoneWithIt(String source, String expected) {
    assertThat(marked(rendered(source, "{\"x\": \"a-b c\", \"o\": {\"k\": \"v\"}}")))
        .isEqualTo(expected);
  }

  @Test
  void aRequestCannotTakeThePlaceOfWhatIsTheTemplatesOwn() {
    String given = "{\"bos_token\": \"<other>\", \"raise_exception\": 1}";
    assertThat(marked(rendered("{{ bos_token }}{{ raise_exception is callable }}", given)))
        .isEqualTo("<s>True");
  }

  @Test
  void textOfARequestIsNoTemplate() {
    assertThat(rendered("{{ x }}", "{\"x\": \"{{ 7 * 7 }}{% raw %}\"}").toString())
        .isEqualTo("{{ 7 * 7 }}{% raw %}");
  }

  @Test
  void theDateIsWrittenInEnglish() {
    assertThat(
            rendered("{{ strftime_now('%A %d %B %Y, %a %-d %b %y %H:%M:%S %I %p %j %%') }}", "{}")
                .toString())
        .isEqualTo("Thursday 01 February 2024, Thu 1 Feb 24 13:05:09 01 PM 032 %");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '`',
      textBlock =
          """
          {{ x                     ! line 1: the end of the template is not expected in a tag
          {{ x } }}                ! line 1: '}' closes nothing
          {% if x %}               ! line 1: a block has no end: wanted one of [elif, else, endif]
          {% endif %}              ! line 1: the statement 'endif' is not supported
          {{ x|nothing }}          ! line 1: the filter 'nothing' is not supported
          {{ x is nothing }}       ! line 1: the test 'nothing' is not supported
          {% include 'x' %}        ! line 1: the statement 'include' is not supported
          {% import 'x' as y %}    ! line 1: the statement 'import' is not supported
          {% break %}              ! line 1: 'break' is in no loop
          {{ x + }}                ! line 1: got '}}'; wanted a value
          {{ a b }}                ! line 1: got 'b'; wanted '}}'
          {% for x y %}            ! line 1: got 'y'; wanted 'in'
          {{ 99999999999999999999 }} ! line 1: '99999999999999999999' has more than 64 bits
          {# x                     ! line 1: a comment has no end
          {{ f(*x) }}              ! line 1: arguments out of a list are not supported
          """)
  void whatIsNotSupportedIsRefusedWhenItIsParsed(String source, String message) {
    assertThatThrownBy(() -> ChatTemplate.parse(source, Map.of()))
        .isInstanceOf(TemplateException.class)
        .hasMessage(message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '`',
      textBlock =
          """
          {{ 'a' + 1 }}                ! line 1: '+' means nothing between a text and a number
          {{ x.y.z }}                  ! line 1: a text has no attribute 'y'
          {{ nobody() }}               ! line 1: 'nobody' is undefined
          {{ x.append('y') }}          ! line 1: a text has no attribute 'append'
          {{ ''.__class__.__mro__ }}   ! line 1: a text has no attribute '__class__'
          {{ 1 // 0 }}                 ! line 1: '//': / by zero
          {{ 9223372036854775807 + 1 }} ! line 1: '+': long overflow
          {% set x.y = 1 %}            ! line 1: 'x' is no namespace, whose attributes can be set
          {{ '%.2f'|format(1.5) }}     ! line 1: the form '%.' is not supported; wanted %s, %d or %%
          {{ '%s %s'|format(x) }}      ! line 1: the text to format has more places than arguments
          {{ '%s'|format(x, 1) }}      ! line 1: the text to format has fewer places than arguments
          {{ '%d'|format(x) }}         ! line 1: a text is no number for %d
          {{ '%(a)s'|format(a=1) }}    ! line 1: the filter 'format' with arguments by name is not supported
          {{ '{:>9}'.format(x) }}      ! line 1: the form '{:>9}' is not supported; wanted {}, {0} or {name}
          {{ '{0.real}'.format(1) }}   ! line 1: the form '{0.real}' is not supported; wanted {}, {0} or {name}
          {{ '{}{}'.format(x) }}       ! line 1: the text to format has more places than arguments
          {{ '{a}'.format(x) }}        ! line 1: argument 'a' is missing
          {{ '{'.format(x) }}          ! line 1: the text to format has a single '{'
          {{ raise_exception('no ' ~ x) }} ! no a
          """)
  void aFailureSaysWhereAndWhat(String source, String message) {
    assertThatThrownBy(() -> rendered(source, "{\"x\": \"a\"}"))
        .isInstanceOf(TemplateException.class)
        .hasMessage(message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '`',
      textBlock =
          """
          {{ '%s%s'|format('a' * 900, 'a' * 900) }}                ! longer than 1000
          {{ '{0}{0}'.format('a' * 900) }}                         ! longer than 1000
          {{ 'a' * 9223372036854775807 }}                          ! longer than 1000
          {{ 'a' * 1001 }}                                         ! longer than 1000
          {{ [1] * 1001 }}                                         ! longer than 1000
          {% for i in range(1000000000) %}{% endfor %}             ! longer than 1000
          {% for i in range(999) %}abc{% endfor %}                 ! longer than 1000
          {% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %} ! longer than 1000
          {{ 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'|replace('a', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb') }} ! longer than 1000
          {% for i in range(900) %}{% for j in range(900) %}{% for k in range(900) %}{% endfor %}{% endfor %}{% endfor %} ! not come to an end
          {% macro m() %}{{ m() }}{% endmacro %}{{ m() }}          ! deeper than 64
          """)
  void aRenderingComesToAnEnd(String source, String message) {
    assertThatThrownBy(() -> rendered(source, "{}"))
        .isInstanceOf(TemplateException.class)
        .hasMessageContaining(message);
  }

  @Test
  void nestingIsBounded() {
    assertThatThrownBy(() ->
            ChatTemplate.parse("{{ " + "(".repeat(200) + "1" + ")".repeat(200) + " }}", Map.of()))
        .hasMessage("line 1: parts are nested deeper than 100");
    assertThatThrownBy(() -> rendered("{{ 1" + " + 1".repeat(100_000) + " }}", "{}"))
        .hasMessage("the template or the request is nested too deep");
  }

  @Test
  void theLineOfAMistakeIsCounted() {
    assertThatThrownBy(() -> ChatTemplate.parse("a\n{{ x }}\n\n  {{ x | nothing }}", Map.of()))
        .hasMessageStartingWith("line 4:");
  }
}
