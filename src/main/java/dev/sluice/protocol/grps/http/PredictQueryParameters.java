package dev.sluice.protocol.grps.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.transport.http.PercentCoding;

/** The query parameters of a predict request. Of a key that comes twice, the first one counts. */
record PredictQueryParameters(String query) {
  /** Returns the model's name; empty if there is none. */
  String model() {
    return value("model");
  }

  boolean returnNdArray() {
    return isTrue("return-ndarray");
  }

  /** Returns whether a key's value is {@code true}, in any case. */
  boolean isTrue(String key) {
    return value(key).equalsIgnoreCase("true");
  }

  private String value(String key) {
    for (int from = 0; from <= query.length(); ) {
      int next = query.indexOf('&', from);
      int to = next < 0 ? query.length() : next;
      if (query.startsWith(key, from)
          && from + key.length() < to
          && query.charAt(from + key.length()) == '=') {
        return decode(query.substring(from + key.length() + 1, to));
      }
      from = to + 1;
    }
    return "";
  }

  /** grps clients do not encode: a percent sign that begins no code is one. */
  private static String decode(String value) {
    try {
      return PercentCoding.decode(value);
    } catch (InferenceException e) {
      return value;
    }
  }
}
