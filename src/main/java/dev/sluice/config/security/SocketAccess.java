package dev.sluice.config.security;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The users who may connect to a Unix domain socket.
 *
 * @param mode permission bits of a Unix domain socket's file, such as {@code "0660"}, in quotes.
 *     The socket appears at its path with these bits
 * @param group group that owns a Unix domain socket's file; empty: the server's
 */
public record SocketAccess(int mode, Optional<String> group) {
  /** Only the server's own user. */
  public static final SocketAccess OWNER = new SocketAccess(0600, Optional.empty());

  private static final Pattern MODE = Pattern.compile("(?:0o?)?[0-7]{3}");
  private static final int OCTAL = 8;
  private static final String ALL = "rwxrwxrwx";

  public static SocketAccess read(Section listener, boolean socket) {
    Optional<Setting> mode = listener.single("socket_mode", "permission bits in octal", "\"0600\"");
    Optional<String> group = listener.text("socket_group");
    if (!socket && (mode.isPresent() || group.isPresent())) {
      throw listener.error(
          mode.isPresent() ? "socket_mode" : "socket_group",
          "is for a Unix domain socket; wanted address: unix:/path");
    }
    return new SocketAccess(mode.map(SocketAccess::mode).orElse(OWNER.mode), group);
  }

  private static int mode(Setting setting) {
    String wanted = "permission bits in octal and in quotes, such as \"0660\"";
    if (setting
        .node()
        .isNumber()) { // YAML has read the octal number already, or takes 660 for decimal.
      throw setting.wanted(wanted);
    }
    String text = setting.matching(MODE, wanted);
    return Integer.parseInt(text.substring(text.length() - 3), OCTAL);
  }

  /** Returns the same bits as Java names them. */
  public Set<PosixFilePermission> permissions() {
    var letters = new StringBuilder(ALL.length());
    for (int i = 0; i < ALL.length(); i++) {
      boolean set = (mode >> (ALL.length() - 1 - i) & 1) == 1;
      letters.append(set ? ALL.charAt(i) : '-');
    }
    return PosixFilePermissions.fromString(letters.toString());
  }
}
