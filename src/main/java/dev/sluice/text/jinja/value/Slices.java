package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Items;
import dev.sluice.text.jinja.value.Value.None;
import dev.sluice.text.jinja.value.Value.Whole;
import java.util.ArrayList;
import java.util.List;

/** Slices of lists and texts, as in Python: a negative position counts from the end. */
public final class Slices {
  private Slices() {}

  /**
   * Returns the elements from one position to before another.
   *
   * @param bounds start, end and step, each a number or none
   */
  public static Value of(Value value, List<Value> bounds, Rendering rendering) {
    List<Value> all = Operators.elements(value, rendering);
    long step = bound(bounds.get(2), 1);
    if (step == 0) {
      throw new TemplateException("a slice's step is 0");
    }
    int size = all.size();
    long from = position(bounds.get(0), step > 0 ? 0 : size - 1, size, step);
    long to = position(bounds.get(1), step > 0 ? size : -1, size, step);
    List<Value> chosen = new ArrayList<>();
    for (long at = from; step > 0 ? at < to : at > to; at += step) {
      chosen.add(all.get((int) at));
    }
    rendering.elements(chosen.size());
    if (value instanceof MarkedText) {
      var out = new MarkedText.Builder();
      chosen.forEach(character -> out.append((MarkedText) character));
      return out.build();
    }
    return new Items(chosen, value instanceof Items items && items.tuple());
  }

  private static long bound(Value value, long otherwise) {
    return switch (value) {
      case None _ -> otherwise;
      case Whole(long number) -> Math.clamp(number, -(1L << 40), 1L << 40);
      default -> throw new TemplateException(Operators.kind(value) + " is no position");
    };
  }

  private static long position(Value value, int otherwise, int size, long step) {
    if (value instanceof None) {
      return otherwise;
    }
    long at = bound(value, 0);
    at = at < 0 ? at + size : at;
    return step > 0 ? Math.clamp(at, 0, size) : Math.clamp(at, -1, size - 1);
  }

  /** Returns one element of a list or character of a text. */
  public static Value element(Value value, long index, Rendering rendering) {
    List<Value> all = Operators.elements(value, rendering);
    long at = index < 0 ? index + all.size() : index;
    return at >= 0 && at < all.size()
        ? all.get((int) at)
        : new Value.Undefined(Operators.kind(value) + " has no element " + index);
  }
}
