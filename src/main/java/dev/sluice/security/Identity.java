package dev.sluice.security;

import dev.sluice.config.security.ApiKey;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The identity of a caller, as far as a credential proves it.
 *
 * @param name what texts and logs show, such as {@code key:ci}
 * @param names all that a policy may know the identity by, the name among them
 */
public record Identity(String name, List<String> names) {
  private static final int LONGEST = 200;

  /** Characters that would break a line of the log, or show it in another order. */
  private static final Pattern ODD =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cn}\\p{Cs}\\p{Zl}\\p{Zp}]");

  private static final int HASH_BYTES = 8;

  /** The group of every identity that a credential of its own proves. */
  private static final String AUTHENTICATED = "authenticated";

  /** A caller without a credential. */
  public static final Identity ANONYMOUS = new Identity("anonymous", List.of("anonymous"));

  public Identity {
    name = shown(name);
    names = List.copyOf(names);
  }

  /** Returns an identity of its own, which rules for everybody who is authenticated concern. */
  static Identity authenticated(String name, String... others) {
    List<String> names = new ArrayList<>(List.of(name, AUTHENTICATED));
    names.addAll(List.of(others));
    return new Identity(name, names);
  }

  /**
   * Returns a name that fits into a line. One that has to be changed for that ends with its hash,
   * so that no two identities have the same name.
   */
  private static String shown(String name) {
    String plain = ODD.matcher(name).replaceAll("?");
    if (plain.equals(name) && name.length() <= LONGEST) {
      return name;
    }
    String hash = HexFormat.of().formatHex(ApiKey.hash(name), 0, HASH_BYTES);
    return plain.substring(0, Math.min(plain.length(), LONGEST)) + "...#" + hash;
  }

  /** Returns whether no credential proves anything. */
  public boolean isAnonymous() {
    return equals(ANONYMOUS);
  }
}
