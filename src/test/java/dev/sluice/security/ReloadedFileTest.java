package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.binding.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ReloadedFileTest {
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger log = (Logger) LoggerFactory.getLogger(ReloadedFile.class);

  @TempDir private Path folder;

  @BeforeEach
  void listen() {
    lines.start();
    log.addAppender(lines);
  }

  @AfterEach
  void stopListening() {
    log.detachAppender(lines);
  }

  private static Integer number(String text) {
    if (!text.matches("\\d+")) {
      throw new ConfigException("number: wanted a number");
    }
    return Integer.valueOf(text);
  }

  @Test
  void aChangeCountsFromTheNextLookOn() throws IOException {
    Path file = Files.writeString(folder.resolve("number"), "1");
    var reloaded = new ReloadedFile<>(file, ReloadedFileTest::number);
    Files.writeString(file, "2");
    assertThat(reloaded.get()).isEqualTo(1);
    reloaded.look();
    assertThat(reloaded.get()).isEqualTo(2);
  }

  @Test
  void aBrokenOrMissingFileChangesNothingAndIsOneLine() throws IOException {
    Path file = Files.writeString(folder.resolve("number"), "1");
    var reloaded = new ReloadedFile<>(file, ReloadedFileTest::number);
    Files.writeString(file, "broken");
    reloaded.look();
    reloaded.look();
    Files.delete(file);
    reloaded.look();
    reloaded.look();
    assertThat(reloaded.get()).isEqualTo(1);
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "number: wanted a number; what it said before holds",
            file + ": no such file; what it said before holds");
    Files.writeString(file, "3");
    reloaded.look();
    assertThat(reloaded.get()).isEqualTo(3);
  }

  @Test
  void whatIsBrokenAtFirstIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("number"), "broken");
    assertThatThrownBy(() -> new ReloadedFile<>(file, ReloadedFileTest::number))
        .isInstanceOf(ConfigException.class);
  }
}
