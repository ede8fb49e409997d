package dev.sluice.text.constraint;

import java.util.Collection;
import java.util.List;
import org.apache.lucene.util.automaton.Automata;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;
import org.apache.lucene.util.automaton.TooComplexToDeterminizeException;

/**
 * Operations on the automata of one constraint. They refuse to make a large one, before it is made,
 * and to do much work together: what a client asks for costs bounded memory and time. One thread.
 */
final class Languages {
  /** States of an automaton on its way. */
  private static final int MOST_STATES = 40_000;

  /** Transitions of it: the end of a part gets those of the beginning of what may follow. */
  private static final long MOST_TRANSITIONS = 200_000;

  /** Work for making one deterministic, in tens of states that are looked at. */
  private static final int MOST_SEARCH = 20_000;

  /** Work of all operations together, in states and transitions. */
  private static final long MOST_WORK = 2_000_000;

  /** No upper bound of a repetition. */
  static final int UNBOUNDED = -1;

  private long work;

  /** Returns the empty text. */
  Automaton nothing() {
    return Automata.makeEmptyString();
  }

  Automaton text(String text) {
    requireSize(text.length(), text.length());
    return Automata.makeString(text);
  }

  /** Returns the texts of each part, one behind the other. */
  Automaton sequence(List<Automaton> parts) {
    long transitions = 0;
    long following = 0;
    for (Automaton part : parts.reversed()) {
      transitions += part.getNumTransitions() + ends(part) * following;
      following = beginnings(part) + (isOptional(part) ? following : 0);
    }
    requireSize(states(parts), transitions);
    return parts.isEmpty() ? nothing() : Operations.concatenate(parts);
  }

  Automaton sequence(Automaton... parts) {
    return sequence(List.of(parts));
  }

  /** Returns the texts of any of them. */
  Automaton oneOf(List<Automaton> choices) {
    requireSize(states(choices), choices.stream().mapToLong(Automaton::getNumTransitions).sum());
    return choices.size() == 1 ? choices.getFirst() : Operations.union(choices);
  }

  Automaton optional(Automaton part) {
    requireSize(part.getNumStates(), part.getNumTransitions());
    return Operations.optional(part);
  }

  /**
   * Returns the texts of so many parts.
   *
   * @param most number of them; {@link #UNBOUNDED}: any
   */
  Automaton repeat(Automaton part, int least, int most) {
    int copies = Math.max(1, Math.max(least, most));
    requireSize(
        (long) part.getNumStates() * copies,
        copies * (part.getNumTransitions() + 2 * ends(part) * beginnings(part)));
    // What may be left out may be fewer times as well; a chain of it would have all shortcuts.
    int fewest = isOptional(part) ? 0 : least;
    return most == UNBOUNDED
        ? Operations.repeat(part, fewest)
        : Operations.repeat(part, fewest, most);
  }

  /** Returns the texts of one part or more, with a separator between them. */
  Automaton separated(Automaton part, Automaton separator) {
    requireSize(
        (long) part.getNumStates() + separator.getNumStates(),
        part.getNumTransitions() + ends(part) * beginnings(separator));
    var list = new Automaton.Builder();
    list.copy(part);
    int from = part.getNumStates();
    list.copy(separator);
    for (int end = 0; end < separator.getNumStates(); end++) {
      if (separator.isAccept(end)) {
        list.setAccept(from + end, false);
        list.addEpsilon(from + end, 0);
      }
    }
    for (int end = 0; end < part.getNumStates(); end++) {
      if (part.isAccept(end)) {
        list.addEpsilon(end, from);
      }
    }
    return list.finish();
  }

  /** Returns the texts of both. */
  Automaton both(Automaton one, Automaton other) {
    Automaton first = deterministic(one);
    Automaton second = deterministic(other);
    requireSize(
        (long) first.getNumStates() * second.getNumStates(),
        ((long) first.getNumStates() * second.getNumTransitions()
                + (long) second.getNumStates() * first.getNumTransitions())
            / 10);
    return Operations.removeDeadStates(Operations.intersection(first, second));
  }

  /** Returns the same language without dead states, each state having one successor for a label. */
  Automaton deterministic(Automaton language) {
    requireSize(language.getNumStates(), 0);
    try {
      Automaton found = Operations.determinize(language, MOST_SEARCH);
      if (!language.isDeterministic()) {
        // Each of its states may have been found as a set of any number of those.
        long most = (long) found.getNumStates() * language.getNumStates();
        requireWork(Math.min(10L * MOST_SEARCH, most));
      }
      return Operations.removeDeadStates(found);
    } catch (TooComplexToDeterminizeException _) {
      throw new InvalidConstraint("is too complex: too many ways to read one text");
    }
  }

  /** Returns whether a text of it may be empty. */
  private static boolean isOptional(Automaton part) {
    return part.getNumStates() > 0 && part.isAccept(0);
  }

  private static long beginnings(Automaton part) {
    return part.getNumStates() == 0 ? 0 : part.getNumTransitions(0);
  }

  private static long ends(Automaton part) {
    return part.getAcceptStates().cardinality();
  }

  private static long states(Collection<Automaton> parts) {
    return parts.stream().mapToLong(Automaton::getNumStates).sum();
  }

  /**
   * Requires that an automaton that is to be made is not too large, and counts the work.
   *
   * @throws InvalidConstraint if it is
   */
  void requireSize(long states, long transitions) {
    if (states > MOST_STATES) {
      throw new InvalidConstraint("is too large: it takes more than " + MOST_STATES + " states");
    }
    if (transitions > MOST_TRANSITIONS) {
      throw new InvalidConstraint(
          "is too large: it takes more than " + MOST_TRANSITIONS + " transitions");
    }
    // Small ones cost something too.
    requireWork(states + transitions + 50);
  }

  /** Counts work. */
  void requireWork(long more) {
    work += more;
    if (work > MOST_WORK) {
      throw new InvalidConstraint("is too large: its parts take too much work");
    }
  }
}
