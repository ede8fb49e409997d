package dev.sluice.config.binding;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Words for what is wrong with a file or a text, for people: without those of the libraries. */
public final class FileProblem {
  private FileProblem() {}

  /**
   * Returns why something could not be read, on one line. The parser of JSON says where it is wrong
   * as well.
   */
  public static String of(IOException failure) {
    return switch (failure) {
      case JsonProcessingException json -> "is no JSON: " + what(json) + " at " + place(json);
      case NoSuchFileException _ -> "is not there";
      case AccessDeniedException _ -> "may not be read by this user";
      case CharacterCodingException _ -> "is not UTF-8";
      default -> "cannot be read: " + failure.getMessage();
    };
  }

  /** The parser's words without those on its own settings. */
  private static String what(JsonProcessingException failure) {
    String text = String.valueOf(failure.getOriginalMessage()).lines().findFirst().orElse("");
    int own = text.indexOf(" (start marker");
    return own < 0 ? text : text.substring(0, own);
  }

  private static String place(JsonProcessingException failure) {
    JsonLocation at = failure.getLocation();
    return at == null ? "its beginning" : "line " + at.getLineNr() + ", column " + at.getColumnNr();
  }
}
