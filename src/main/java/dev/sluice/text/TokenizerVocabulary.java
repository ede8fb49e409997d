package dev.sluice.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The vocabulary of a {@code tokenizer.json}, as the bytes that its decoder makes of each token.
 * Two kinds of decoders are known: those of bytes that are written as letters (GPT-2, Llama 3,
 * Qwen, SmolLM), and those of pieces with {@code ▁} for a space and {@code <0x0A>} for a byte
 * (Llama 2, Mistral, Gemma). Any thread.
 */
final class TokenizerVocabulary {
  private static final String SPACE = "\u2581";
  private static final Map<Character, Byte> LETTERS = letters();

  private TokenizerVocabulary() {}

  /**
   * Returns the bytes of each token.
   *
   * @param json the file
   * @return empty if its model or its decoder is of another kind
   */
  static Optional<TokenBytes> bytes(JsonNode json) {
    String decoder = decoder(json.path("decoder"));
    if (decoder.isEmpty()) {
      return Optional.empty();
    }
    SortedMap<Integer, String> names = namesByToken(json);
    var special = new HashMap<Integer, Boolean>();
    for (JsonNode added : json.path("added_tokens")) {
      special.put(added.path("id").asInt(-1), added.path("special").asBoolean());
    }
    return names.isEmpty() || names.firstKey() < 0 || names.lastKey() > 8 * names.size()
        ? Optional.empty()
        : Optional.of(bytes(names, special, decoder.equals("ByteLevel")));
  }

  /** Returns the name of each token, as the file has it; of a number between that is none, none. */
  static TokenBytes names(JsonNode json) {
    SortedMap<Integer, String> names = namesByToken(json);
    return names.isEmpty() || names.lastKey() > 8 * names.size()
        ? TokenBytes.of(List.of())
        : TokenBytes.of(() ->
            IntStream.rangeClosed(0, names.lastKey())
                .mapToObj(token -> names.getOrDefault(token, ""))
                .iterator());
  }

  /** Returns the number above that of every token. */
  static long size(JsonNode json) {
    SortedMap<Integer, String> names = namesByToken(json);
    return names.isEmpty() ? 0 : names.lastKey() + 1L;
  }

  private static SortedMap<Integer, String> namesByToken(JsonNode json) {
    var names = new TreeMap<Integer, String>();
    vocabulary(json.at("/model/vocab"), names);
    for (JsonNode added : json.path("added_tokens")) {
      names.put(added.path("id").asInt(-1), added.path("content").asText());
    }
    return names;
  }

  private static TokenBytes bytes(
      SortedMap<Integer, String> names, Map<Integer, Boolean> special, boolean letters) {
    var builder = new TokenBytes.Builder();
    for (int token = 0; token <= names.lastKey(); token++) {
      String name = names.get(token);
      if (name == null || special.getOrDefault(token, false)) {
        builder.addSpecial(name == null ? "" : name);
      } else if (letters) {
        builder.add(ofLetters(name));
      } else {
        // Added tokens are no pieces, but the decoder does not know.
        builder.add(ofPiece(name));
      }
    }
    return builder.build();
  }

  /** Reads what most models have, an object of numbers, or the list of texts of a unigram model. */
  private static void vocabulary(JsonNode vocabulary, Map<Integer, String> names) {
    if (vocabulary.isArray()) {
      for (int i = 0; i < vocabulary.size(); i++) {
        names.put(i, vocabulary.path(i).path(0).asText());
      }
    } else {
      vocabulary
          .properties()
          .forEach(entry -> names.put(entry.getValue().asInt(-1), entry.getKey()));
    }
  }

  /** Returns the kind of a decoder: ByteLevel, Metaspace, or empty if it is another one. */
  private static String decoder(JsonNode decoder) {
    String type = decoder.path("type").asText();
    return switch (type) {
      case "ByteLevel", "Metaspace" -> type;
      case "Sequence" -> sequence(decoder.path("decoders"));
      default -> "";
    };
  }

  private static String sequence(JsonNode decoders) {
    String kind = "";
    for (JsonNode decoder : decoders) {
      String type = decoder.path("type").asText();
      switch (type) {
        case "ByteLevel" -> kind = type;
        case "Metaspace" -> kind = type;
        case "Replace" -> {
          boolean space = decoder.at("/pattern/String").asText().equals(SPACE);
          if (!space || !decoder.path("content").asText().equals(" ")) {
            return "";
          }
          kind = "Metaspace";
        }
        case "ByteFallback", "Fuse", "Strip" -> {
          // These change nothing of a single token, but for the first one's space.
        }
        default -> {
          return "";
        }
      }
    }
    return kind;
  }

  private static byte[] ofLetters(String name) {
    byte[] bytes = new byte[name.length()];
    for (int i = 0; i < bytes.length; i++) {
      Byte known = LETTERS.get(name.charAt(i));
      if (known == null) {
        return name.getBytes(StandardCharsets.UTF_8);
      }
      bytes[i] = known;
    }
    return bytes;
  }

  private static byte[] ofPiece(String name) {
    if (name.length() == 6 && name.startsWith("<0x") && name.endsWith(">")) {
      try {
        return new byte[] {(byte) Integer.parseInt(name.substring(3, 5), 16)};
      } catch (NumberFormatException _) {
        // It only looks like a byte.
      }
    }
    return name.replace(SPACE, " ").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns the letters that bytes are written as: printable ones of Latin-1 as themselves, the
   * others as letters from U+0100 on, in their order.
   */
  private static Map<Character, Byte> letters() {
    boolean[] printable = new boolean[256];
    Arrays.fill(printable, '!', '~' + 1, true);
    Arrays.fill(printable, 0xA1, 0xAC + 1, true);
    Arrays.fill(printable, 0xAE, 0xFF + 1, true);
    var letters = new HashMap<Character, Byte>();
    char other = 0x100;
    for (int value = 0; value < printable.length; value++) {
      letters.put(printable[value] ? (char) value : other++, (byte) value);
    }
    return Map.copyOf(letters);
  }
}
