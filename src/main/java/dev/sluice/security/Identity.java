package dev.sluice.security;

import java.util.List;

/**
 * Who a caller is, as far as a credential proves it.
 *
 * @param name what texts and logs show, such as {@code key:ci}
 * @param names all that a policy may know the identity by, the name among them
 */
public record Identity(String name, List<String> names) {
  private static final int LONGEST = 200;

  /** A caller without a credential. */
  public static final Identity ANONYMOUS = new Identity("anonymous", List.of("anonymous"));

  public Identity {
    name = name.length() <= LONGEST ? name : name.substring(0, LONGEST) + "...";
    names = List.copyOf(names);
  }

  /** An identity with a single name. */
  public static Identity of(String name) {
    return new Identity(name, List.of(name));
  }

  /** Returns whether no credential proves anything. */
  public boolean isAnonymous() {
    return equals(ANONYMOUS);
  }
}
