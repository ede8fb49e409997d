package dev.sluice.text.constraint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.text.TokenBytes;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Finds the heads of tool calls in what a model writes: the name of the function, and what is in
 * front of it. Bytes are the characters of Latin-1. Immutable; any thread.
 */
final class CallHeads {
  private static final JsonMapper JSON = new JsonMapper();
  private static final byte[] NOTHING = {};

  /** Longer heads are text. */
  private static final int LONGEST = 4_096;

  private static final String SPACE = "[" + ToolCallForm.SPACES + "]*+";
  private static final String STRING = "\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"";
  private static final String MEMBER =
      STRING + SPACE + ":" + SPACE + "(?:" + STRING + "|[-+.\\w]++)" + SPACE + ",";

  /** Any letter of a key may be escaped. */
  private static final String NAME =
      "\"(?:n|\\\\u006[eE])(?:a|\\\\u0061)(?:m|\\\\u006[dD])(?:e|\\\\u0065)\"";

  private static final String OBJECT =
      ("\\{" + SPACE + "(?:" + MEMBER + SPACE + ")*")
          + (NAME + SPACE + ":" + SPACE + "(?<quoted>" + STRING + ")");
  private static final String NAMED = "[^" + ToolCallForm.SPACES + "\\[{][^{]*+\\{";

  private final TokenBytes tokens;
  private final String marker;
  private final boolean atStart;
  private final Pattern first;
  private final Pattern further;

  /** Whether special tokens are a part of the text: one of them is the marker. */
  private final boolean spelled;

  /** What a text may be the head of. */
  sealed interface Found {
    /** No call, whatever follows. */
    record Never() implements Found {}

    /** A call, by what follows. */
    record Perhaps() implements Found {}

    /**
     * A call whose head is over.
     *
     * @param begun what is behind its brace, compact
     * @param depth behind it
     */
    record Call(String begun, JsonDepth depth) implements Found {}
  }

  CallHeads(TokenBytes tokens, ToolCallForm form) {
    this.tokens = tokens;
    this.marker = form.marker();
    this.atStart = form.beginsAnswers();
    String named = form.namesFunctions() ? "|" + NAMED : "";
    this.first = Pattern.compile(SPACE + "(?:\\[?+" + SPACE + OBJECT + named + ")", Pattern.DOTALL);
    String end = form.end().isEmpty() ? "" : "|" + Pattern.quote(form.end());
    this.further =
        Pattern.compile(
            "(?:[" + ToolCallForm.SPACES + ",;\\]]" + end + ")*+" + OBJECT, Pattern.DOTALL);
    this.spelled =
        IntStream.range(0, tokens.size())
            .anyMatch(token -> tokens.isSpecial(token) && marker.equals(tokens.shown(token)));
  }

  /** Returns what is in front of calls. */
  String marker() {
    return marker;
  }

  /** Returns whether an answer may begin with a call, without the marker. */
  boolean atStart() {
    return atStart;
  }

  /** Returns what a token adds to the text; it may be none that the tokenizer knows. */
  byte[] bytes(int token) {
    boolean silent = token >= tokens.size() || (tokens.isSpecial(token) && !spelled);
    return silent ? NOTHING : tokens.of(token);
  }

  /** Returns the end of a text in which the marker may begin. */
  String tail(String seen) {
    return seen.substring(Math.max(0, seen.length() - marker.length() + 1));
  }

  /**
   * Returns what a text is the head of.
   *
   * @param behind whether it is behind a call; else it is behind the marker
   */
  @SuppressWarnings("JdkObsolete") // Text comes byte by byte: more of it may make a head.
  Found find(String seen, boolean behind) {
    Matcher head = (behind ? further : first).matcher(seen);
    if (head.lookingAt()) {
      String quoted = head.group("quoted");
      return quoted == null ? named(seen) : quoted(quoted);
    }
    return head.hitEnd() && seen.length() <= LONGEST ? new Found.Perhaps() : new Found.Never();
  }

  private static Found quoted(String name) {
    try {
      String compact = JSON.readTree(utf8(name)).toString();
      return new Found.Call(latin(compact), JsonDepth.WITHIN);
    } catch (JsonProcessingException _) {
      return new Found.Never();
    }
  }

  private static Found named(String seen) {
    String name = ToolCallForm.named(utf8(seen.substring(0, seen.length() - 1)));
    String begun = TextNode.valueOf(name) + ",\"arguments\":{";
    return new Found.Call(latin(begun), JsonDepth.WITHIN);
  }

  private static String utf8(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  private static String latin(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }
}
