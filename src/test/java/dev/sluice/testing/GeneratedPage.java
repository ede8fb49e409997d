package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A committed file that is made from the code. A test compares it; with {@code WRITE_PAGES=1} in
 * the environment the test writes it instead, which is what {@code make pages} does.
 */
public final class GeneratedPage {
  private static final boolean WRITE = "1".equals(System.getenv("WRITE_PAGES"));

  private GeneratedPage() {}

  /** Fails if the file differs from the text, and says how to mend that. */
  public static void assertIs(Path file, String text) throws IOException {
    if (WRITE) {
      Files.writeString(file, text);
    }
    List<String> committed = Files.exists(file) ? Files.readAllLines(file) : List.of();
    List<String> made = text.lines().toList();
    String mend = file + " is not what the code says; make pages writes it";
    for (int i = 0; i < Math.min(committed.size(), made.size()); i++) {
      assertThat(committed.get(i)).as("%s. Line %d", mend, i + 1).isEqualTo(made.get(i));
    }
    assertThat(committed).as(mend).hasSameSizeAs(made);
  }

  /** Returns a text as a cell of a Markdown table. */
  public static String cell(String text) {
    return text.replace("|", "\\|").replace("\n", " ");
  }
}
