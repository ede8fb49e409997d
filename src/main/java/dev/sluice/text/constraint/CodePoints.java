package dev.sluice.text.constraint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.lucene.util.automaton.Automata;
import org.apache.lucene.util.automaton.Automaton;

/**
 * A set of Unicode code points, without surrogates, which no text in UTF-8 has. Immutable.
 *
 * @param ranges in order, apart from each other
 */
record CodePoints(List<Range> ranges) {
  /** All of them. */
  static final CodePoints ALL = of(0, 0xD7FF, 0xE000, Character.MAX_CODE_POINT);

  static final CodePoints DIGITS = of('0', '9');
  static final CodePoints WORD = of('0', '9', 'A', 'Z', '_', '_', 'a', 'z');
  static final CodePoints SPACE =
      of(
          '\t', '\r', ' ', ' ', 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F,
          0x202F, 0x205F, 0x205F, 0x3000, 0x3000, 0xFEFF, 0xFEFF);

  /** What a dot stands for: everything on a line. */
  static final CodePoints ON_A_LINE = of('\n', '\n', '\r', '\r').negated();

  /** From one code point to another, both included. */
  record Range(int first, int last) {}

  CodePoints {
    ranges = List.copyOf(ranges);
  }

  /** Returns those of pairs of a first and a last one. */
  static CodePoints of(int... bounds) {
    var ranges = new ArrayList<Range>();
    for (int i = 0; i < bounds.length; i += 2) {
      ranges.add(new Range(bounds[i], bounds[i + 1]));
    }
    return union(ranges);
  }

  /** Returns those of ranges in any order. */
  static CodePoints union(List<Range> ranges) {
    var joined = new ArrayList<Range>();
    for (Range next : ranges.stream().sorted(Comparator.comparingInt(Range::first)).toList()) {
      Range last = joined.isEmpty() ? null : joined.getLast();
      if (last != null && next.first <= last.last + 1) {
        joined.set(joined.size() - 1, new Range(last.first, Math.max(last.last, next.last)));
      } else {
        joined.add(next);
      }
    }
    return new CodePoints(joined);
  }

  /** Returns all others. */
  CodePoints negated() {
    var gaps = new ArrayList<Range>();
    for (Range all : List.of(new Range(0, 0xD7FF), new Range(0xE000, Character.MAX_CODE_POINT))) {
      int from = all.first;
      for (Range range : ranges) {
        if (range.last >= from && range.first <= all.last) {
          if (range.first > from) {
            gaps.add(new Range(from, range.first - 1));
          }
          from = range.last + 1;
        }
      }
      if (from <= all.last) {
        gaps.add(new Range(from, all.last));
      }
    }
    return new CodePoints(gaps);
  }

  /** Returns the automaton of one of them. */
  Automaton toAutomaton() {
    // Twice negated, ranges have no surrogates.
    List<Range> valid = negated().negated().ranges;
    return valid.isEmpty()
        ? Automata.makeEmpty()
        : Automata.makeCharClass(
            valid.stream().mapToInt(Range::first).toArray(),
            valid.stream().mapToInt(Range::last).toArray());
  }
}
