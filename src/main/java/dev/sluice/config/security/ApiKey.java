package dev.sluice.config.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A key that a caller presents. Only its hash is kept, and no text shows more than its name.
 *
 * @param name the name of its holder in policies and logs
 * @param sha256 the hash of the key, as 64 hexadecimal digits in lower case
 */
public record ApiKey(String name, String sha256) {
  static final String WANTED =
      "NAME: sha256:HEX with 64 digits, or NAME: KEY with at least 16 visible characters";

  /** Long enough not to be guessed. */
  private static final int SHORTEST = 16;

  private static final Pattern LINE =
      Pattern.compile("([A-Za-z0-9._@/-]{1,100})\\s*[:=]\\s*(\"?)([^\\s\"]+)\\2");

  private static final Pattern HASH = Pattern.compile("sha256:([0-9a-fA-F]{64})");
  private static final Pattern VISIBLE = Pattern.compile("[!-~]+");

  /**
   * Reads a name and a key with a colon or an equals sign between them.
   *
   * @return empty if the text has another form; it may hold a key, so no complaint should show it
   */
  static Optional<ApiKey> parse(String text) {
    Matcher line = LINE.matcher(text.strip());
    if (!line.matches()) {
      return Optional.empty();
    }
    String name = line.group(1);
    String key = line.group(3);
    Matcher hash = HASH.matcher(key);
    if (hash.matches()) {
      return Optional.of(new ApiKey(name, hash.group(1).toLowerCase(Locale.ROOT)));
    }
    boolean broken = key.startsWith("sha256:") || key.length() < SHORTEST;
    return broken || !VISIBLE.matcher(key).matches()
        ? Optional.empty()
        : Optional.of(new ApiKey(name, HexFormat.of().formatHex(hash(key))));
  }

  /** Returns the SHA-256 hash of a key. */
  public static byte[] hash(String key) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return "ApiKey[" + name + "]";
  }
}
