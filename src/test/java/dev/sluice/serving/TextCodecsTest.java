package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.model.TextConfig;
import dev.sluice.testing.Poet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What the log says of a model that holds no conversations. */
class TextCodecsTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(TextCodecs.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @TempDir Path folder;

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
  }

  private List<ILoggingEvent> read() throws IOException {
    Path tokenizer = folder.resolve("tokenizer.json");
    Files.copy(Poet.TOKENIZER, tokenizer);
    var text =
        new TextConfig(
            Path.of("none"), Optional.of(tokenizer), "text", Optional.empty(), 9, 0, false);
    assertThat(TextCodecs.read(text).size()).isPositive();
    return lines.list;
  }

  @Test
  void aTemplateThatCannotBeUsedIsAWarningThatSaysWhatCallersGet() throws IOException {
    Files.writeString(folder.resolve("chat_template.jinja"), "{% include 'b' %}");
    assertThat(read())
        .singleElement()
        .satisfies(line -> {
          assertThat(line.getLevel()).isEqualTo(Level.WARN);
          assertThat(line.getMessage())
              .isEqualTo("the model holds no conversations: they are refused with 400");
          assertThat(line.getKeyValuePairs().toString())
              .contains("tokenizer.json", "the statement 'include' is not supported");
        });
  }

  @Test
  void aModelWithoutATemplateIsNoReasonToWarn() throws IOException {
    assertThat(read())
        .singleElement()
        .satisfies(line -> assertThat(line.getLevel()).isEqualTo(Level.INFO));
  }
}
