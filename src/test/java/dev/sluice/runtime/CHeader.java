package dev.sluice.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the functions that a runtime's C header declares, from the copies in the test resources.
 */
public final class CHeader {
  /** A word that a C compiler removes: it says how a parameter is used. */
  private static final Pattern ANNOTATION =
      Pattern.compile("\\b_(In|Out|Inout|Outptr|Frees)[a-z_]*_(\\([^)]*\\))?");

  /** {@code ORT_API2_STATUS(Run, ...)}: a function that returns a status. */
  private static final Pattern WITH_STATUS = Pattern.compile("ORT_API2_STATUS\\((\\w+),(.*)\\)");

  private static final Pattern RELEASE = Pattern.compile("ORT_CLASS_RELEASE2?\\((\\w+)\\)");
  private static final Pattern WITH_RESULT = Pattern.compile("ORT_API_T\\(([^,]+), (\\w+),(.*)\\)");

  private static final Pattern PLAIN =
      Pattern.compile("(.*)\\(ORT_API_CALL\\* ?(\\w+)\\)\\((.*)\\)\\s*(?:NO_EXCEPTION.*|ORT_.*)?");

  private static final Pattern EXPORTED =
      Pattern.compile("TF_CAPI_EXPORT (?:extern )?(.*?)\\b(TF_\\w+)\\((.*)\\)");

  private CHeader() {}

  /** A function as it is declared. */
  public record Declaration(String name, NativeSignature signature) {}

  /** Returns the functions of {@code struct OrtApi}, in their order. */
  public static List<Declaration> onnxRuntime() {
    String text = text("onnxruntime_c_api.h");
    String members = text.substring(text.indexOf('{') + 1, text.lastIndexOf('}'));
    return declarations(members).map(CHeader::member).toList();
  }

  /** Returns the functions that TensorFlow exports, in any order. */
  public static List<Declaration> tensorFlow() {
    return declarations(text("tensorflow_c_api.h")).map(CHeader::exported).toList();
  }

  private static String text(String file) {
    try (InputStream in = CHeader.class.getResourceAsStream("/native/" + file)) {
      String text = new String(Objects.requireNonNull(in, file).readAllBytes(), UTF_8);
      return text.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)^\\s*(//|#).*$", "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<String> declarations(String text) {
    return Pattern.compile(";")
        .splitAsStream(text)
        .map(declaration -> declaration.replaceAll("\\s+", " ").strip())
        .filter(declaration -> !declaration.isEmpty());
  }

  private static Declaration member(String text) {
    Matcher match = WITH_STATUS.matcher(text);
    if (match.matches()) {
      return declaration(match.group(1), "OrtStatus*", match.group(2));
    }
    match = RELEASE.matcher(text);
    if (match.matches()) {
      return declaration("Release" + match.group(1), "void", match.group(1) + "*");
    }
    match = WITH_RESULT.matcher(text);
    if (match.matches()) {
      return declaration(match.group(2), match.group(1), match.group(3));
    }
    match = PLAIN.matcher(text);
    if (match.matches()) {
      return declaration(match.group(2), match.group(1), match.group(3));
    }
    throw new AssertionError("no known form of a declaration: " + text);
  }

  private static Declaration exported(String text) {
    Matcher match = EXPORTED.matcher(text);
    if (!match.matches()) {
      throw new AssertionError("no known form of a declaration: " + text);
    }
    return declaration(match.group(2), match.group(1), match.group(3));
  }

  private static Declaration declaration(String name, String result, String parameters) {
    List<NativeType> types =
        parameters(parameters).stream()
            .map(CHeader::type)
            .filter(type -> type != NativeType.VOID)
            .toList();
    return new Declaration(name, new NativeSignature(type(result), types));
  }

  /** Cuts at the commas that are in no parentheses. */
  private static List<String> parameters(String text) {
    List<String> found = new ArrayList<>();
    int depth = 0;
    int begin = 0;
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      depth += next == '(' ? 1 : next == ')' ? -1 : 0;
      if (next == ',' && depth == 0) {
        found.add(text.substring(begin, i));
        begin = i + 1;
      }
    }
    found.add(text.substring(begin));
    return found;
  }

  private static NativeType type(String declared) {
    String text = ANNOTATION.matcher(declared).replaceAll("").replace("const", "").strip();
    if (text.contains("*") || text.contains("[") || text.contains("(")) {
      return NativeType.POINTER;
    }
    return switch (text.replaceFirst(" .*", "")) {
      case "void" -> NativeType.VOID;
      case "bool" -> NativeType.BOOL;
      case "size_t" -> NativeType.SIZE;
      case "int64_t", "uint64_t" -> NativeType.INT64;
      default ->
          text.matches(".*(Fn|Callback|Delegate|Handle)\\b.*")
              ? NativeType.POINTER
              : NativeType.INT32;
    };
  }
}
