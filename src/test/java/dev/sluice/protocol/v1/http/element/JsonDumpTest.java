package dev.sluice.protocol.v1.http.element;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonDumpTest {
  @Test
  void objectsAreIndentedAndArraysStayOnOneLine() {
    assertThat(dump("{\"a\":[{\"x\":1.0}],\"b\":{}, \"c\":[]}"))
        .isEqualTo(
            """
            {
                "a": [{
                        "x": 1.0
                    }],
                "b": {},
                "c": []
            }\
            """);
  }

  @ParameterizedTest(name = "{0} is shown as {1}")
  @CsvSource(
      textBlock =
          """
          1.0,                  1.0
          1e3,                  1000.0
          -0.5e-3,              -0.0005
          1e21,                 1e21
          1e20,                 100000000000000000000.0
          1.25e-7,              1.25e-7
          0.000001,             0.000001
          18446744073709551615, 18446744073709551615
          18446744073709551616, 18446744073709552000.0
          -0.0,                 -0.0
          NaN,                  NaN
          -Inf,                 -Infinity
          true,                 true
          null,                 null
          """)
  void valuesAreShownAsTheyAreRead(String text, String shown) {
    assertThat(dump(text)).isEqualTo(shown);
  }

  @Test
  void stringsAreEscapedAgain() {
    assertThat(dump("\"\\u0041\\n\\u0007\\\"/é\"")).isEqualTo("\"A\\n\\u0007\\\"/é\"");
  }

  @Test
  void nothingIsBegunAfter256BytesButAStringIsEnded() {
    String text = "x".repeat(300);
    assertThat(dump("[\"" + text + "\",1,2]")).isEqualTo("[\"" + text + "\"");
  }

  private static String dump(String json) {
    return JsonDump.of(Body.of(json.getBytes(StandardCharsets.UTF_8)), 0);
  }
}
