package dev.sluice.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of the documentation, as far as a test can do what it says. */
record DocsPage(Path file, List<Block> blocks) {
  private static final Pattern FENCE =
      Pattern.compile("(?ms)^```(\\w*)(?: title=\"([^\"]+)\")?\\h*\n(.*?)^```\\h*$");

  /** What a reader sees as one block of code, in the order of the page. */
  sealed interface Block {}

  /** A command line behind a dollar sign, and what is printed below it. */
  record Command(String line, String output) implements Block {}

  /** A file that the reader writes, under the block's title. */
  record NamedFile(String name, String text) implements Block {}

  /** Settings without a file's name. */
  record Settings(String text) implements Block {}

  static DocsPage read(Path file) throws IOException {
    List<Block> blocks = new ArrayList<>();
    Matcher fence = FENCE.matcher(Files.readString(file));
    while (fence.find()) {
      String text = fence.group(3);
      if (fence.group(1).equals("console")) {
        blocks.addAll(commands(text));
      } else if (fence.group(2) != null) {
        blocks.add(new NamedFile(fence.group(2), text));
      } else if (fence.group(1).equals("yaml")) {
        blocks.add(new Settings(text));
      }
    }
    return new DocsPage(file, blocks);
  }

  private static List<Command> commands(String text) {
    return Pattern.compile("(?m)^\\$ ")
        .splitAsStream(text)
        .filter(part -> !part.isBlank())
        .map(part -> {
          String line = part.lines().findFirst().orElseThrow();
          return new Command(line, part.substring(line.length()).strip());
        })
        .toList();
  }

  List<Command> commands() {
    return blocks.stream().filter(Command.class::isInstance).map(Command.class::cast).toList();
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
