package dev.sluice.text.constraint;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;
import org.apache.lucene.util.automaton.Transition;
import org.apache.lucene.util.automaton.UTF32ToUTF8;

/**
 * A deterministic automaton over the bytes of UTF-8, as a table in native memory, where it counts
 * as tensors do. From each of its states a text can be completed. Immutable; any thread.
 *
 * <p>Owner: its creator, which closes it behind the last use.
 */
final class ByteAutomaton implements AutoCloseable {
  /** The state of a text that no longer can be completed. */
  static final int DEAD = -1;

  /** The state of an empty text. */
  static final int START = 0;

  private static final int LARGEST_TABLE = 4 << 20;
  private static final Automaton UTF8 = utf8();

  /** By byte, its column: bytes that no state tells apart share one. */
  private final int[] columns;

  private final int width;
  private final int states;
  private final Tensor table;
  private final MemorySegment next;
  private final BitSet accepting;

  private ByteAutomaton(int[] columns, int width, int[] next, BitSet accepting) {
    this.columns = columns;
    this.width = width;
    this.states = next.length / width;
    this.accepting = accepting;
    this.table = Tensor.allocate(DataType.INT32, Shape.of(next.length));
    this.next = table.data();
    MemorySegment.copy(next, 0, this.next, ValueLayout.JAVA_INT, 0, next.length);
  }

  /**
   * Returns the automaton of a language; the caller's to close.
   *
   * @param language over code points
   * @param languages made it
   * @throws InvalidConstraint if it is too large, or has no text
   */
  static ByteAutomaton of(Automaton language, Languages languages) {
    Automaton characters = languages.deterministic(language);
    // Each transition becomes a few of bytes.
    languages.requireSize(characters.getNumTransitions(), 0);
    // What is converted has overlong forms of characters besides: bytes that are no UTF-8.
    Automaton bytes =
        Operations.removeDeadStates(
            Operations.intersection(
                languages.deterministic(new UTF32ToUTF8().convert(characters)), UTF8));
    if (bytes.getNumStates() == 0) {
      throw new InvalidConstraint("matches no text that the model's tokens can say");
    }
    return table(bytes);
  }

  private static ByteAutomaton table(Automaton bytes) {
    int states = bytes.getNumStates();
    int[] starts = bytes.getStartPoints();
    int[] columns = columns(starts);
    if ((long) states * starts.length * Integer.BYTES > LARGEST_TABLE) {
      throw new InvalidConstraint(
          "is too large: its automaton takes more than %d bytes".formatted(LARGEST_TABLE));
    }
    int[] next = new int[states * starts.length];
    Arrays.fill(next, DEAD);
    var accepting = new BitSet(states);
    var transition = new Transition();
    for (int state = 0; state < states; state++) {
      accepting.set(state, bytes.isAccept(state));
      for (int i = 0; i < bytes.getNumTransitions(state); i++) {
        bytes.getTransition(state, i, transition);
        int row = state * starts.length;
        int last = columns[Math.min(255, transition.max)];
        Arrays.fill(next, row + columns[transition.min], row + last + 1, transition.dest);
      }
    }
    return new ByteAutomaton(columns, starts.length, next, accepting);
  }

  /** Returns the automaton of all texts in UTF-8, by the table of well-formed bytes in Unicode. */
  private static Automaton utf8() {
    var bytes = new Automaton.Builder();
    int end = bytes.createState();
    bytes.setAccept(end, true);
    int one = bytes.createState();
    int two = bytes.createState();
    int three = bytes.createState();
    bytes.addTransition(end, end, 0, 0x7F);
    bytes.addTransition(one, end, 0x80, 0xBF);
    bytes.addTransition(two, one, 0x80, 0xBF);
    bytes.addTransition(three, two, 0x80, 0xBF);
    bytes.addTransition(end, one, 0xC2, 0xDF);
    bytes.addTransition(end, two, 0xE1, 0xEC);
    bytes.addTransition(end, two, 0xEE, 0xEF);
    bytes.addTransition(end, three, 0xF1, 0xF3);
    addNarrow(bytes, 0xE0, one, 0xA0, 0xBF);
    addNarrow(bytes, 0xED, one, 0x80, 0x9F);
    addNarrow(bytes, 0xF0, two, 0x90, 0xBF);
    addNarrow(bytes, 0xF4, two, 0x80, 0x8F);
    return bytes.finish();
  }

  /** Adds a first byte behind which not all bytes may follow. */
  private static void addNarrow(Automaton.Builder bytes, int first, int next, int from, int to) {
    int state = bytes.createState();
    bytes.addTransition(0, state, first);
    bytes.addTransition(state, next, from, to);
  }

  private static int[] columns(int[] starts) {
    int[] columns = new int[256];
    for (int i = 0; i < starts.length; i++) {
      if (starts[i] < columns.length) {
        Arrays.fill(columns, starts[i], columns.length, i);
      }
    }
    return columns;
  }

  /** Returns the state behind a byte; {@link #DEAD} if it cannot follow. */
  int step(int state, int value) {
    return next.getAtIndex(ValueLayout.JAVA_INT, (long) state * width + columns[value]);
  }

  /** Returns whether a text may end in a state. */
  boolean accepts(int state) {
    return accepting.get(state);
  }

  /** Returns whether no byte follows a state. */
  boolean isLast(int state) {
    long row = (long) state * width;
    for (int i = 0; i < width; i++) {
      if (next.getAtIndex(ValueLayout.JAVA_INT, row + i) != DEAD) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of states. */
  int states() {
    return states;
  }

  /** Returns the bytes of the table. */
  long size() {
    return next.byteSize();
  }

  /** Frees the table. */
  @Override
  public void close() {
    table.close();
  }
}
