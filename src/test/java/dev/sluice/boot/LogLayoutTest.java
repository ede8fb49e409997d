package dev.sluice.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import dev.sluice.boot.log.JsonLayout;
import dev.sluice.boot.log.TextLayout;
import dev.sluice.inference.control.LogControl;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LogLayoutTest {
  private final LoggerContext logs = new LoggerContext();

  @Test
  void textLineHasTimeLevelMessageAndFacts() {
    assertThat(new TextLayout().doLayout(event("dev.sluice.serving.X", "queue is full", null)))
        .isEqualTo("2026-01-01T12:00:00.123Z WARN  queue is full request=r-1\n");
  }

  @Test
  void textLineMayBeginAsTritonsDo() {
    TextLayout.write(LogControl.Format.DEFAULT);
    try {
      assertThat(new TextLayout().doLayout(event("dev.sluice.serving.X", "queue is full", null)))
          .isEqualTo(
              "W0101 12:00:00.123456 %d sluice] queue is full request=r-1\n"
                  .formatted(ProcessHandle.current().pid()));
    } finally {
      TextLayout.write(LogControl.Format.ISO8601);
    }
  }

  @Test
  void linesOfLibrariesNameTheirLogger() {
    assertThat(new TextLayout().doLayout(event("io.netty.X", "hm", null)))
        .isEqualTo("2026-01-01T12:00:00.123Z WARN  io.netty.X: hm request=r-1\n");
  }

  @Test
  void eventIsOneLineWhateverIsInIt() {
    String line =
        new TextLayout()
            .doLayout(
                event(
                    "dev.sluice.X",
                    "bad name \"a\r\n2026 ERROR forged\u001b[31m\"",
                    new IllegalStateException("two\nlines")));
    assertThat(line)
        .startsWith(
            "2026-01-01T12:00:00.123Z WARN  bad name \"a | 2026 ERROR forged\\u001b[31m\""
                + " request=r-1 | java.lang.IllegalStateException: two | lines | at ")
        .endsWith("\n");
    assertThat(line.strip()).doesNotContain("\n");
  }

  @Test
  void jsonLineIsOneObjectWithTheFactsBesideTheMessage() {
    assertThat(new JsonLayout().doLayout(event("dev.sluice.X", "say \"hi\"\n", null)))
        .isEqualTo(
            "{\"time\":\"2026-01-01T12:00:00.123Z\",\"level\":\"WARN\",\"logger\":\"dev.sluice.X\","
                + "\"message\":\"say \\\"hi\\\"\\n\",\"request\":\"r-1\"}\n");
    assertThat(
            new JsonLayout().doLayout(event("dev.sluice.X", "x", new IllegalStateException("y"))))
        .contains("\"trace\":\"java.lang.IllegalStateException: y")
        .containsOnlyOnce("\n");
  }

  @Test
  void noPartOfAnEventIsLongerThanItsBound() {
    String name = "x".repeat(1_000_000);
    LoggingEvent event =
        event(
            "dev.sluice.X",
            "model '" + name + "' is not found",
            new IllegalStateException(name + " tail"));
    event.setKeyValuePairs(List.of(new KeyValuePair("model", name + "!")));
    for (var layout : List.of(new TextLayout(), new JsonLayout())) {
      assertThat(layout.doLayout(event))
          .hasSizeLessThan(25_000)
          .contains("model 'xxx", "xxx' is not found", "... (999502 characters) ...xx", "xx!")
          .containsOnlyOnce("\n");
    }
  }

  @Test
  void factsForgeNoOtherFacts() {
    LoggingEvent event = event("dev.sluice.X", "x", null);
    event.setKeyValuePairs(
        List.of(
            new KeyValuePair("model", "a code=OK\n\"b\""), new KeyValuePair("code", "NOT_FOUND")));
    assertThat(new TextLayout().doLayout(event))
        .endsWith(" x model=\"a code=OK | \\\"b\\\"\" code=NOT_FOUND\n");
  }

  @Test
  void charactersThatTerminalsObeyAreEscapedInBothLayouts() {
    LoggingEvent event =
        event("dev.sluice.X", "a\u001b[31m \u009b31m \u202e \u2066 \u0000 \u007f", null);
    for (var layout : List.of(new TextLayout(), new JsonLayout())) {
      assertThat(layout.doLayout(event))
          .contains("\\u001b[31m", "\\u009b31m", "\\u202e", "\\u2066", "\\u0000", "\\u007f")
          .matches("\\p{ASCII}+\n")
          .doesNotContain("\u001b", "\u007f", "\u0000");
    }
  }

  private LoggingEvent event(String logger, String message, @Nullable Throwable failure) {
    var event =
        new LoggingEvent("", logs.getLogger(logger), Level.WARN, message, failure, new Object[0]);
    event.setInstant(Instant.parse("2026-01-01T12:00:00.123456Z"));
    event.setKeyValuePairs(List.of(new KeyValuePair("request", "r-1")));
    return event;
  }
}
