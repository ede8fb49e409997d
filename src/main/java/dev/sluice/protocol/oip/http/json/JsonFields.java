package dev.sluice.protocol.oip.http.json;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonError;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.codec.JsonString;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.SharedMemoryParameters;

/**
 * Reads the fields of a request, refusing values of a wrong type in Triton's words:
 * INVALID_ARGUMENT with the field, what was got and what was wanted.
 */
public final class JsonFields {
  private JsonFields() {}

  /** Reads a string; fails if the field has another value. */
  public static String string(JsonCursor in, String field) {
    return bytes(in, field).toText();
  }

  /** Returns a text whose bytes are of interest. */
  public static JsonString bytes(JsonCursor in, String field) {
    require(in, Kind.STRING, field, "string");
    return in.string();
  }

  /** Reads a boolean; fails if the field has another value. */
  public static boolean bool(JsonCursor in, String field) {
    Kind kind = in.peek();
    if (kind != Kind.TRUE && kind != Kind.FALSE) {
      throw wrongType(in, field, "boolean");
    }
    return in.bool();
  }

  /** Returns a whole number that is not negative and fits into 63 bits. */
  public static long unsigned(JsonCursor in, String field) {
    int before = in.position();
    if (in.peek() == Kind.NUMBER) {
      JsonNumber number = in.number();
      if (number.isLong() && number.toLong() >= 0) {
        return number.toLong();
      }
      in.seek(before);
    }
    throw wrongType(in, field, "unsigned-integer");
  }

  /** Reads the beginning of an object; fails if the field has another value. */
  public static void beginObject(JsonCursor in, String field) {
    require(in, Kind.OBJECT, field, "object");
    in.beginObject();
  }

  static void beginArray(JsonCursor in, String field) {
    require(in, Kind.ARRAY, field, "array");
    in.beginArray();
  }

  /** Passes over {@code null}, which some clients send for a field they leave out. */
  public static boolean isNull(JsonCursor in) {
    if (in.peek() != Kind.NULL) {
      return false;
    }
    in.nothing();
    return true;
  }

  /** Reads a parameter that says where a tensor lies in shared memory; skips any other. */
  static void sharedMemory(JsonCursor in, SharedMemoryParameters.Reader shared) {
    if (in.keyIs("shared_memory_region")) {
      shared.region(string(in, "shared_memory_region"));
    } else if (in.keyIs("shared_memory_offset")) {
      shared.offset(unsigned(in, "shared_memory_offset"));
    } else if (in.keyIs("shared_memory_byte_size")) {
      shared.byteSize(unsigned(in, "shared_memory_byte_size"));
    } else {
      in.skipValue();
    }
  }

  private static void require(JsonCursor in, Kind kind, String field, String name) {
    if (in.peek() != kind) {
      throw wrongType(in, field, name);
    }
  }

  private static InferenceException wrongType(JsonCursor in, String field, String wanted) {
    return InferenceException.invalid(
        "Unable to parse '"
            + Excerpt.of(field)
            + "': attempt to access JSON non-"
            + wanted
            + " as "
            + wanted
            + ", got "
            + excerpt(in));
  }

  /** Makes the error for a member that is missing. */
  public static InferenceException missing(String in, String member) {
    return InferenceException.invalid(
        "Unable to parse '"
            + in
            + "': attempt to access non-existing object member '"
            + member
            + "'");
  }

  /** Returns the next value as messages show it. */
  public static String excerpt(JsonCursor in) {
    int from = in.position();
    in.skipValue();
    String shown = in.text(from, Math.min(in.position(), from + Excerpt.LENGTH));
    return in.position() > from + Excerpt.LENGTH ? shown + "..." : shown;
  }

  /** Returns the error for a text that is not JSON. */
  public static InferenceException malformed(JsonException failure) {
    String text = failure.error().text();
    return InferenceException.invalid(
        failure.error() == JsonError.TOO_DEEP
            ? text
            : "failed to parse the request JSON buffer: " + text + " at " + failure.offset());
  }
}
