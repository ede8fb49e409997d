package dev.sluice.protocol.openai.tools;

import dev.sluice.inference.tokens.ToolCallForm;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns the text of one answer, which may come in pieces, into events. One thread at a time.
 *
 * <pre>
 * state    character                   next     what happens
 * -------  --------------------------  -------  -----------------------------------------------
 * TEXT     the last one of a marker    OPENING  the text before it is passed on
 * OPENING  {                           CALL     a call is read; in a form of lists behind [ too
 * OPENING  a letter, in Mistral's form NAME     the name of a function is read
 * NAME     {                           CALL     its arguments are read
 * CALL     the last one of the object  BEHIND   the call is over
 * BEHIND   space , ; ] or an end tag   BEHIND   nothing
 * BEHIND   {                           CALL     a further call is read
 * BEHIND   another one                 TEXT
 * any      what is not expected        TEXT     what was held back of the call is text
 * any      a call too many             OVER     nothing more comes
 * </pre>
 *
 * <p>A call is certain when its function and the beginning of its arguments are known. What is
 * wrong with it later cannot take it back in a stream: it ends there. In a whole answer a call is
 * certain when it has ended.
 */
public final class ToolCallParser {
  /** Most characters that are held back: longer ones are text. */
  static final int LONGEST = 1 << 16;

  private static final int LONGEST_NAME = 256;

  private final Set<String> functions;
  private final Set<String> strict;
  private final CallMarker marker;
  private final String endTag;
  private final boolean named;
  private final int most;
  private final boolean streamed;

  /** What was not passed on: in TEXT the possible beginning of a marker, else of a call. */
  private final StringBuilder held = new StringBuilder();

  /** Characters of it that were looked at. */
  private int read;

  private final ToolEvents events = new ToolEvents();
  private State state;
  private boolean list;

  /** Where in what is held the name or the tag that is read begins. */
  private int begin;

  private @Nullable CallReader call;

  /** Whether the call is certain. */
  private boolean begun;

  /** Whether a call had begun and was no call. */
  private boolean broken;

  /** Whether something that began as a call was none: no constraint holds behind it. */
  private boolean lost;

  private enum State {
    TEXT,
    OPENING,
    NAME,
    CALL,
    BEHIND,
    OVER
  }

  private ToolCallParser(
      Set<String> functions,
      Set<String> strict,
      Optional<ToolCallForm> form,
      boolean parallel,
      boolean streamed,
      State state) {
    this.functions = Set.copyOf(functions);
    this.strict = Set.copyOf(strict);
    this.marker = new CallMarker(form.map(ToolCallForm::marker).orElse(""));
    this.endTag = form.map(ToolCallForm::end).orElse("");
    this.named = form.filter(ToolCallForm::namesFunctions).isPresent();
    this.most = parallel ? Integer.MAX_VALUE : 1;
    this.streamed = streamed;
    this.state = state;
  }

  /**
   * Returns the parser of an answer in which calls may be.
   *
   * @param functions that may be called
   * @param strict those of them whose calls are read only where a constraint holds for them: with
   *     the name in front, and not behind what began as a call and was none
   * @param parallel whether there may be several calls
   * @param streamed whether calls are passed on before they have ended
   */
  static ToolCallParser free(
      Set<String> functions,
      Set<String> strict,
      ToolCallForm form,
      boolean parallel,
      boolean streamed) {
    State first = form.beginsAnswers() ? State.OPENING : State.TEXT;
    return new ToolCallParser(functions, strict, Optional.of(form), parallel, streamed, first);
  }

  /** Returns the parser of an answer that is a list of calls. */
  static ToolCallParser list(Set<String> functions, boolean parallel) {
    return new ToolCallParser(functions, Set.of(), Optional.empty(), parallel, true, State.OPENING);
  }

  /** Returns the parser of an answer that is the arguments of a function. */
  static ToolCallParser arguments(String function) {
    var parser =
        new ToolCallParser(Set.of(function), Set.of(), Optional.empty(), false, true, State.CALL);
    parser.call = CallReader.ofArguments(function);
    return parser;
  }

  /** Takes more text, and returns what is certain now; often nothing. */
  public List<ToolEvent> append(String text) {
    held.append(text);
    readOn();
    if (begun) {
      takeArguments();
      forget();
    } else if (streamed && state != State.TEXT && held.length() > LONGEST) {
      fail(read);
      readOn();
    }
    return events.take();
  }

  /** Returns what is left when no more text comes. A call that is certain ends as it is. */
  public List<ToolEvent> end() {
    if (marker.isNone() && !begun) {
      // A forced answer was cut within the name of a function.
      held.setLength(0);
    }
    while (state != State.TEXT && state != State.BEHIND && state != State.OVER) {
      fail(read);
      readOn();
    }
    // Behind a call it is a part of the tag that ends it.
    if (state == State.TEXT) {
      events.text(held.toString());
    }
    held.setLength(0);
    read = 0;
    return events.take();
  }

  /** Returns whether there was a call, and none that ended within its arguments. */
  public boolean hasWholeCalls() {
    return events.calls() > 0 && !broken;
  }

  /** Returns whether a call ended within its arguments. */
  public boolean hasBrokenCall() {
    return broken;
  }

  private void readOn() {
    while (state != State.TEXT || findMarker()) {
      if (state == State.OVER) {
        held.setLength(0);
        return;
      }
      if (read == held.length()) {
        return;
      }
      int before = read;
      int character = held.codePointAt(read);
      read += Character.charCount(character);
      if (!step(character)) {
        fail(before);
      }
    }
  }

  /** Passes text on up to the next marker; returns whether it was found. */
  private boolean findMarker() {
    int found = marker.find(held);
    int certain = marker.certain(held, found);
    events.text(held.substring(0, certain));
    held.delete(0, certain);
    read = found < 0 ? held.length() : found - certain + marker.text().length();
    if (found >= 0) {
      open();
    }
    return found >= 0;
  }

  private void open() {
    state = State.OPENING;
    list = false;
  }

  /** Takes a character; returns false if it is not expected. */
  private boolean step(int character) {
    return switch (state) {
      case OPENING -> opening(character);
      case NAME -> name(character);
      case CALL -> call(character);
      case BEHIND -> behind(character);
      case TEXT, OVER -> throw new IllegalStateException(state.name());
    };
  }

  private boolean opening(int character) {
    if (ToolCallForm.isSpace(character)) {
      return true;
    }
    if (character == '{') {
      return begin(CallReader.ofCall());
    }
    if (character == '[' && !list) {
      list = true;
      return true;
    }
    if (!named || list) {
      return false;
    }
    begin = read - Character.charCount(character);
    state = State.NAME;
    return true;
  }

  private boolean name(int character) {
    if (character != '{') {
      return read - begin <= LONGEST_NAME;
    }
    String name = ToolCallForm.named(held.substring(begin, read - 1));
    return begin(CallReader.ofArguments(name));
  }

  /** Begins to read a call, whose first character was read. */
  private boolean begin(CallReader reader) {
    if (events.calls() >= most) {
      state = State.OVER;
      return true;
    }
    state = State.CALL;
    call = reader;
    return call('{');
  }

  private boolean call(int character) {
    CallReader reader = Objects.requireNonNull(call);
    if (!reader.take(character)) {
      return false;
    }
    String name = reader.name();
    if (name != null && !isCalled(name, reader)) {
      return false;
    }
    if (!begun && name != null && reader.hasArguments() && (streamed || reader.isWhole())) {
      begun = true;
      events.begin(name);
    }
    if (reader.isWhole()) {
      finish();
      state = State.BEHIND;
    }
    return true;
  }

  private boolean isCalled(String name, CallReader reader) {
    boolean held = reader.beginsWithName() && !lost;
    return functions.contains(name) && (held || !strict.contains(name));
  }

  private void takeArguments() {
    if (call != null) {
      events.arguments(call.takeArguments());
    }
  }

  /** Ends the call that is certain. */
  private void finish() {
    takeArguments();
    events.end();
    begun = false;
    call = null;
    forget();
  }

  /** What was read is no longer needed as text. */
  private void forget() {
    held.delete(0, read);
    read = 0;
  }

  private boolean behind(int character) {
    boolean separates = ToolCallForm.isSpace(character) || ",;]".indexOf(character) >= 0;
    if (read == Character.charCount(character)) {
      if (character == '{') {
        return begin(CallReader.ofCall());
      }
      if (separates) {
        forget();
        return true;
      }
    }
    String tag = held.substring(0, read);
    if (tag.equals(endTag)) {
      forget();
      return true;
    }
    return endTag.startsWith(tag);
  }

  /**
   * Makes text of the beginning of what was held back, or ends a call that is certain, and goes on
   * behind it.
   *
   * @param expected characters that could be a part of the call
   */
  private void fail(int expected) {
    lost |= state == State.CALL || state == State.NAME;
    if (begun) {
      broken = true;
      read = expected;
      finish();
    } else if (state != State.BEHIND && !held.isEmpty()) {
      int first = opened();
      events.text(held.substring(0, first));
      held.delete(0, first);
    }
    call = null;
    read = 0;
    state = State.TEXT;
  }

  /** Returns how many characters have begun what is no call: a marker, or the first of JSON. */
  private int opened() {
    int found = marker.find(held);
    int end = found + marker.text().length();
    if (found >= 0 && end <= read && held.substring(0, found).isBlank()) {
      return end;
    }
    return "{[".indexOf(held.charAt(0)) >= 0 ? 1 : 0;
  }
}
