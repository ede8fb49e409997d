package dev.sluice.boot.infer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Compares the outputs of a response with those that were recorded: names, types, shapes, values.
 */
final class TensorComparison {
  private final Tolerance tolerance;
  private final List<String> differences = new ArrayList<>();
  private boolean exact = true;
  private double largest;

  TensorComparison(Tolerance tolerance, JsonNode recorded, JsonNode now) {
    this.tolerance = tolerance;
    for (JsonNode output : recorded) {
      compare(output, named(now, output.path("name").asText()));
    }
    for (JsonNode output : now) {
      String name = output.path("name").asText();
      if (named(recorded, name).isMissingNode()) {
        differ("output " + name + " is new");
      }
    }
  }

  private static JsonNode named(JsonNode outputs, String name) {
    for (JsonNode output : outputs) {
      if (output.path("name").asText().equals(name)) {
        return output;
      }
    }
    return outputs.path("none");
  }

  private void differ(String difference) {
    exact = false;
    differences.add(difference);
  }

  private void compare(JsonNode recorded, JsonNode now) {
    String name = "output " + recorded.path("name").asText();
    if (now.isMissingNode()) {
      differ(name + " is missing");
    } else if (!recorded.path("datatype").equals(now.path("datatype"))) {
      differ(changed(name + " has the datatype", recorded.path("datatype"), now.path("datatype")));
    } else if (!recorded.path("shape").toString().equals(now.path("shape").toString())) {
      differ(changed(name + " has the shape", recorded.path("shape"), now.path("shape")));
    } else if (!recorded.has("omitted")) {
      compareValues(name, recorded.path("data"), now.path("data"));
    }
  }

  private static String changed(String what, JsonNode recorded, JsonNode now) {
    return "%s %s, recorded %s".formatted(what, now, recorded);
  }

  private void compareValues(String name, JsonNode recorded, JsonNode now) {
    if (recorded.size() != now.size()) {
      differ("%s has %d values, recorded %d".formatted(name, now.size(), recorded.size()));
      return;
    }
    int count = 0;
    int worst = -1;
    double most = -1;
    for (int i = 0; i < recorded.size(); i++) {
      if (!isSame(recorded.path(i), now.path(i))) {
        count++;
        double distance = distance(recorded.path(i), now.path(i));
        if (distance > most) {
          most = distance;
          worst = i;
        }
      }
    }
    if (count > 0) {
      differ(
          "%s: %d of %d values differ, most at %d: %s, recorded %s"
              .formatted(
                  name, count, recorded.size(), worst, now.path(worst), recorded.path(worst)));
    }
  }

  /** Returns whether two values are the same, or near enough: floating point numbers alone. */
  private boolean isSame(JsonNode recorded, JsonNode now) {
    if (recorded.isIntegralNumber() && now.isIntegralNumber()) {
      return recorded.bigIntegerValue().equals(now.bigIntegerValue());
    }
    if (!isDecimal(recorded) || !isDecimal(now)) {
      return recorded.equals(now);
    }
    double before = decimal(recorded);
    double after = decimal(now);
    if (Double.compare(before, after) != 0) {
      exact = false;
      largest = Math.max(largest, distance(recorded, now));
    }
    return tolerance.covers(before, after);
  }

  private static boolean isDecimal(JsonNode value) {
    return value.isNumber() || (value.isTextual() && value.asText().matches("NaN|-?Infinity"));
  }

  private static double decimal(JsonNode value) {
    return value.isNumber() ? value.doubleValue() : Double.parseDouble(value.asText());
  }

  /** How far apart two values are; infinitely far if they are no numbers. */
  private static double distance(JsonNode recorded, JsonNode now) {
    if (!isDecimal(recorded) || !isDecimal(now)) {
      return Double.POSITIVE_INFINITY;
    }
    double distance = Math.abs(decimal(recorded) - decimal(now));
    return Double.isNaN(distance) ? Double.POSITIVE_INFINITY : distance;
  }

  /** Returns what differs beyond the tolerance, one sentence each. */
  List<String> differences() {
    return differences;
  }

  /** Returns whether every value is the same, without any tolerance. */
  boolean isExact() {
    return exact;
  }

  /** Returns how far the furthest floating point numbers are apart. */
  double largest() {
    return largest;
  }

  /** Returns a number as reports show it. */
  static String shown(double number) {
    return String.format(Locale.ROOT, "%.3g", number);
  }
}
