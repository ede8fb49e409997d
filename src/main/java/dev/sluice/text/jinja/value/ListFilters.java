package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Items;
import dev.sluice.text.jinja.value.Value.Mapping;
import dev.sluice.text.jinja.value.Value.None;
import dev.sluice.text.jinja.value.Value.Undefined;
import dev.sluice.text.jinja.value.Value.Whole;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** Filters of lists. */
final class ListFilters {
  private ListFilters() {}

  /**
   * Returns a filter.
   *
   * @throws TemplateException if there is none of that name
   */
  static Filters.Filter named(String name) {
    return switch (name) {
      case "list" -> (value, _, rendering) -> Items.list(Operators.elements(value, rendering));
      case "first" -> (value, _, rendering) -> end(Operators.elements(value, rendering), true);
      case "last" -> (value, _, rendering) -> end(Operators.elements(value, rendering), false);
      case "join" -> ListFilters::joined;
      case "map" -> ListFilters::mapped;
      case "select" -> (value, by, rendering) -> selected(value, test(by), rendering);
      case "reject" -> (value, by, rendering) -> selected(value, test(by).negate(), rendering);
      case "selectattr" -> (value, by, rendering) -> selected(value, attributeTest(by), rendering);
      case "rejectattr" ->
          (value, by, rendering) -> selected(value, attributeTest(by).negate(), rendering);
      case "reverse" -> ListFilters::reversed;
      case "sort" -> ListFilters::sorted;
      case "dictsort" -> ListFilters::sortedEntries;
      case "unique" -> ListFilters::unique;
      case "sum" -> ListFilters::sum;
      case "min" -> (value, _, rendering) -> extreme(value, Operators::compare, rendering);
      case "max" ->
          (value, _, rendering) -> extreme(value, (a, b) -> Operators.compare(b, a), rendering);
      default -> throw new TemplateException("the filter '" + name + "' is not supported");
    };
  }

  private static Value end(List<Value> all, boolean first) {
    if (all.isEmpty()) {
      return new Undefined("the list is empty");
    }
    return first ? all.getFirst() : all.getLast();
  }

  private static Value joined(Value value, Arguments arguments, Rendering rendering) {
    List<Value> all = Operators.elements(value, rendering);
    if (arguments.get(1, "attribute", None.NONE) instanceof MarkedText attribute) {
      all = all.stream().map(each -> member(each, attribute)).toList();
    }
    MarkedText between = PythonText.of(arguments.get(0, "d", MarkedText.EMPTY));
    return TextMethods.joined(all, between, rendering);
  }

  /** Returns an attribute, or one of an attribute, with points between. */
  private static Value member(Value value, MarkedText path) {
    Value member = value;
    for (String name : path.toString().split("\\.", -1)) {
      member = Members.attribute(member, name);
    }
    return member;
  }

  private static Value mapped(Value value, Arguments by, Rendering rendering) {
    List<Value> all = Operators.elements(value, rendering);
    if (by.positional().isEmpty()) {
      MarkedText attribute = by.text(0, "attribute");
      Value otherwise = by.get(1, "default", None.NONE);
      return Items.list(
          all.stream()
              .map(each -> member(each, attribute))
              .map(each ->
                  each instanceof Undefined && by.named().containsKey("default") ? otherwise : each)
              .toList());
    }
    String name = by.text(0, "filter").toString();
    Filters.Filter filter = Filters.named(name);
    return Items.list(all.stream().map(each -> filter.of(each, by.rest(), rendering)).toList());
  }

  private static Value selected(Value value, Predicate<Value> wanted, Rendering rendering) {
    List<Value> all = Operators.elements(value, rendering);
    rendering.elements(all.size());
    return Items.list(all.stream().filter(wanted).toList());
  }

  /** Returns the test that arguments name, with its own arguments; without any, truth. */
  private static Predicate<Value> test(Arguments by) {
    if (by.positional().isEmpty()) {
      return Operators::truth;
    }
    String name = by.text(0, "test").toString();
    Tests.Test test =
        switch (name) {
          case "==" -> Tests.named("eq");
          case "!=" -> Tests.named("ne");
          default -> Tests.named(name);
        };
    return value -> test.holds(value, by.rest());
  }

  private static Predicate<Value> attributeTest(Arguments by) {
    MarkedText attribute = by.text(0, "attribute");
    Predicate<Value> test = test(by.rest());
    return value -> test.test(member(value, attribute));
  }

  private static Value reversed(Value value, Arguments arguments, Rendering rendering) {
    List<Value> all = Operators.elements(value, rendering).reversed();
    return value instanceof MarkedText
        ? TextMethods.joined(all, MarkedText.EMPTY, rendering)
        : Items.list(List.copyOf(all));
  }

  /** Returns the order of two values; texts without their case, unless it is wanted. */
  private static Comparator<Value> order(boolean cased) {
    return (one, other) ->
        cased ? Operators.compare(one, other) : Operators.compare(folded(one), folded(other));
  }

  private static Value folded(Value value) {
    return value instanceof MarkedText text
        ? text.map(part -> part.toLowerCase(Locale.ROOT))
        : value;
  }

  private static Value sorted(Value value, Arguments by, Rendering rendering) {
    List<Value> all = new ArrayList<>(Operators.elements(value, rendering));
    Comparator<Value> order = order(by.flag(1, "case_sensitive"));
    if (by.get(2, "attribute", None.NONE) instanceof MarkedText attribute) {
      Comparator<Value> whole = order;
      order = (one, other) -> whole.compare(member(one, attribute), member(other, attribute));
    }
    rendering.elements(32L * all.size());
    all.sort(by.flag(0, "reverse") ? order.reversed() : order);
    return Items.list(all);
  }

  private static Value sortedEntries(Value value, Arguments by, Rendering rendering) {
    if (!(value instanceof Mapping mapping)) {
      throw new TemplateException(Operators.kind(value) + " is no mapping");
    }
    int part = by.get(1, "by", MarkedText.own("key")).toString().equals("value") ? 1 : 0;
    Comparator<Value> order = order(by.flag(0, "case_sensitive"));
    Comparator<Value> ofParts =
        (one, other) ->
            order.compare(((Items) one).items().get(part), ((Items) other).items().get(part));
    List<Value> all = new ArrayList<>(Members.items(mapping, rendering).items());
    rendering.elements(32L * all.size());
    all.sort(by.flag(2, "reverse") ? ofParts.reversed() : ofParts);
    return Items.list(all);
  }

  private static Value unique(Value value, Arguments by, Rendering rendering) {
    boolean cased = by.flag(0, "case_sensitive");
    List<Value> seen = new ArrayList<>();
    List<Value> all = new ArrayList<>();
    for (Value each : Operators.elements(value, rendering)) {
      Value key = cased ? each : folded(each);
      rendering.elements(seen.size());
      if (seen.stream().noneMatch(before -> Operators.equal(before, key))) {
        seen.add(key);
        all.add(each);
      }
    }
    return Items.list(all);
  }

  private static Value sum(Value value, Arguments by, Rendering rendering) {
    Value sum = by.get(1, "start", new Whole(0));
    Value attribute = by.get(0, "attribute", None.NONE);
    for (Value each : Operators.elements(value, rendering)) {
      Value term = attribute instanceof MarkedText name ? member(each, name) : each;
      sum = Operators.plus(sum, term, rendering);
    }
    return sum;
  }

  private static Value extreme(Value value, Comparator<Value> order, Rendering rendering) {
    List<Value> all = Operators.elements(value, rendering);
    Value first = end(all, true);
    for (Value each : all) {
      first = order.compare(each, first) < 0 ? each : first;
    }
    return first;
  }
}
