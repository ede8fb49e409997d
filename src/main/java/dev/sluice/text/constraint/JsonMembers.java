package dev.sluice.text.constraint;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.util.automaton.Automata;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;

/**
 * The members of a JSON object, in their order, some of which may be left out. One thread.
 *
 * <p>Each member is in the automaton once, however many may be left out: in front of it are a state
 * of texts that have no member yet, and one of texts that have some.
 */
final class JsonMembers {
  private final Languages languages;
  private final List<Member> members = new ArrayList<>();

  /** Whether a member has no value but has to be there. */
  private boolean impossible;

  private record Member(Automaton text, boolean required) {}

  JsonMembers(Languages languages) {
    this.languages = languages;
  }

  /** Adds the next member. */
  void add(String name, Automaton value, boolean required) {
    Automaton key = languages.text(TextNode.valueOf(name).toString() + ":");
    Automaton space = languages.optional(languages.text(" "));
    Automaton member = languages.sequence(key, space, value);
    if (Operations.isEmpty(member)) {
      impossible |= required;
    } else {
      members.add(new Member(member, required));
    }
  }

  /** Returns the texts of the object. */
  Automaton object() {
    return impossible
        ? Automata.makeEmpty()
        : languages.sequence(languages.text("{"), all(), languages.text("}"));
  }

  private Automaton all() {
    requireSize();
    var all = new Automaton.Builder();
    int none = all.createState();
    int[] begins = new int[members.size()];
    for (int i = 0; i < begins.length; i++) {
      begins[i] = all.getNumStates();
      all.copy(members.get(i).text);
    }
    int behind = all.createState();
    all.setAccept(behind, true);
    int without = behind;
    for (int i = begins.length - 1; i >= 0; i--) {
      Member member = members.get(i);
      lead(all, member.text, begins[i], behind);
      int first = i == 0 ? none : all.createState();
      all.addEpsilon(first, begins[i]);
      int further = further(all, begins[i]);
      if (!member.required) {
        all.addEpsilon(first, without);
        all.addEpsilon(further, behind);
      }
      without = first;
      behind = further;
    }
    if (members.isEmpty()) {
      all.setAccept(none, true);
    }
    return all.finish();
  }

  /** Leads the ends of a copy to what is behind it. */
  private static void lead(Automaton.Builder all, Automaton copied, int begin, int behind) {
    for (int end = 0; end < copied.getNumStates(); end++) {
      if (copied.isAccept(end)) {
        all.setAccept(begin + end, false);
        all.addEpsilon(begin + end, behind);
      }
    }
  }

  /** Adds a state from which a comma leads to a member. */
  private static int further(Automaton.Builder all, int begin) {
    int further = all.createState();
    int comma = all.createState();
    all.addTransition(further, comma, ',');
    all.addTransition(comma, begin, ' ');
    all.addEpsilon(comma, begin);
    return further;
  }

  private void requireSize() {
    long states = 2;
    long transitions = (long) members.size() * members.size();
    long ends = 0;
    for (Member member : members) {
      states += member.text.getNumStates() + 3L;
      transitions += member.text.getNumTransitions() + 3L;
      ends += member.text.getAcceptStates().cardinality() + 5L;
    }
    languages.requireSize(states, transitions);
    // To find the transitions of a state, the automaton looks at all.
    languages.requireWork(ends * transitions / 50);
  }
}
