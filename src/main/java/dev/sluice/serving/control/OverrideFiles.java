package dev.sluice.serving.control;

import dev.sluice.inference.InferenceException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Names of a model's files that came by the network, where they become files of an {@link
 * UploadFolder}. They are checked before any becomes a path. Who may load a model may not run
 * whatever they like: a jar is never taken, and a SavedModel, whose operations read and write
 * files, only where a setting allows it.
 */
final class OverrideFiles {
  private static final int MOST_FILES = 1_000;
  private static final int LONGEST_NAME = 1_024;
  private static final int LONGEST_PART = 255;
  private static final int DEEPEST = 16;

  private OverrideFiles() {}

  /**
   * Requires that names are those of files within a folder, that no file lies within another, and
   * that none is code.
   *
   * @param savedModels whether SavedModels may come so
   * @throws InferenceException with INVALID_ARGUMENT that names the file
   */
  static void check(Set<String> names, boolean savedModels) {
    if (names.size() > MOST_FILES) {
      throw InferenceException.invalid(
          "the load request has " + names.size() + " files; wanted at most " + MOST_FILES);
    }
    var sorted = new TreeSet<String>();
    for (String name : names) {
      check(name);
      requireNoSavedModel(name, savedModels);
      sorted.add(name);
    }
    for (String name : names) {
      String within = sorted.higher(name + "/");
      if (within != null && within.startsWith(name + "/")) {
        throw refused(name, "lies above '" + excerpt(within) + "'; wanted a file or a folder");
      }
    }
  }

  private static void check(String name) {
    if (name.length() > LONGEST_NAME) {
      throw refused(name, "has more than " + LONGEST_NAME + " letters");
    }
    if (name.toLowerCase(Locale.ROOT).endsWith(".jar")) {
      throw refused(name, "is that of own code, which is never taken from the network");
    }
    List<String> parts = List.of(name.split("/", -1));
    if (parts.size() > DEEPEST) {
      throw refused(name, "is more than " + DEEPEST + " folders deep");
    }
    for (String part : parts) {
      if (part.isEmpty() || part.equals(".") || part.equals("..") || isOdd(part)) {
        throw refused(name, "is no path within the model's folder");
      }
      if (part.getBytes(StandardCharsets.UTF_8).length > LONGEST_PART) {
        throw refused(name, "has a part of more than " + LONGEST_PART + " bytes");
      }
    }
    requirePath(name);
  }

  /** Where the locale is not UTF-8, most letters cannot be in a file's name. */
  private static void requirePath(String name) {
    try {
      var _ = Path.of(name);
    } catch (InvalidPathException e) {
      throw refused(name, "cannot be one of this system: " + e.getReason());
    }
  }

  private static void requireNoSavedModel(String name, boolean allowed) {
    String file = name.substring(name.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    if (!allowed && file.startsWith("saved_model.pb")) {
      throw refused(
          name,
          "is that of a SavedModel, whose operations can read and write this server's files; wanted"
              + " an ONNX model, or the setting models.uploaded_saved_models: true");
    }
  }

  private static boolean isOdd(String part) {
    return part.chars().anyMatch(c -> c == '\\' || Character.isISOControl(c));
  }

  private static InferenceException refused(String name, String why) {
    return InferenceException.invalid(
        "failed to poll from model repository: the file name '" + excerpt(name) + "' " + why);
  }

  private static String excerpt(String name) {
    String shown = name.length() > 100 ? name.substring(0, 100) + "..." : name;
    return shown.replaceAll("\\p{Cntrl}", "?");
  }
}
