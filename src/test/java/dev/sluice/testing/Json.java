package dev.sluice.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** Texts that a test expects to be JSON. Any thread. */
public final class Json {
  private static final JsonMapper JSON = new JsonMapper();

  private Json() {}

  /** Returns what a text says. */
  public static JsonNode read(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }
}
