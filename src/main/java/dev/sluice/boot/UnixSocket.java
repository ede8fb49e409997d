package dev.sluice.boot;

import dev.sluice.boot.cli.StartFailure;
import dev.sluice.config.security.SocketAccess;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a Unix domain socket. Blocks on the file system.
 *
 * <p>A socket is created under a temporary name with its permissions set and then renamed, so that
 * no client connects before they hold. One that a killed server left is removed, if no server
 * answers on it.
 */
final class UnixSocket {
  private static final Logger LOG = LoggerFactory.getLogger(UnixSocket.class);

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");

  /** Bytes of a path that a socket's address takes. */
  private static final int LONGEST = 107;

  /** Names of five letters or digits. */
  private static final int MANY = 36 * 36 * 36 * 36 * 36;

  private UnixSocket() {}

  /**
   * Removes the socket that a server which was killed has left.
   *
   * @throws StartFailure if the file is something else, or a server listens on it
   */
  static void clear(Path path) {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      requireSocket(path);
      requireSilence(path);
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw StartFailure.cannotListen("unix:" + path, e);
    }
  }

  /**
   * Removes the server's own socket; what has taken its place meanwhile stays. Connections that
   * were made by it stay, too.
   *
   * @param key what {@link #publish} gave
   */
  static void remove(Path path, @Nullable Object key) {
    try {
      if (Objects.equals(key(path), key)) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException e) {
      LOG.debug("the socket is removed already: {}", path);
    } catch (IOException e) {
      LOG.warn("the socket {} is not removed: {}", path, e.getMessage());
    }
  }

  private static @Nullable Object key(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  private static void requireSocket(Path path) throws IOException {
    if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isOther()) {
      throw new IOException("the file is there already, and no socket");
    }
  }

  private static void requireSilence(Path path) throws IOException {
    try (var client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      client.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException _) {
      return;
    }
    throw new IOException("another server listens on it");
  }

  /**
   * Makes a private place to bind a socket in, on the file system of its path: no client can
   * connect before {@link #publish} has given the file its permissions.
   *
   * @return the path to bind
   * @throws StartFailure if there is no room for it
   */
  static Path stage(Path path) {
    try {
      Path folder = Path.of(path.getParent() + "/." + suffix());
      Path staged = folder.resolve("s");
      if (staged.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST) {
        throw new IOException("the path is too long; wanted a shorter folder");
      }
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PRIVATE));
      return staged;
    } catch (IOException e) {
      throw StartFailure.cannotListen("unix:" + path, e);
    }
  }

  private static String suffix() {
    return Integer.toString(new SecureRandom().nextInt(MANY), Character.MAX_RADIX);
  }

  /**
   * Gives a bound socket its permissions and its group, and only then its path.
   *
   * @return the identity of the file, which another file at its path does not have
   */
  static @Nullable Object publish(Path staged, Path path, SocketAccess access) {
    try {
      if (access.group().isPresent()) {
        Files.getFileAttributeView(staged, PosixFileAttributeView.class)
            .setGroup(group(access.group().get()));
      }
      Files.setPosixFilePermissions(staged, access.permissions());
      Files.move(staged, path, StandardCopyOption.ATOMIC_MOVE);
      return key(path);
    } catch (IOException e) {
      throw StartFailure.cannotListen("unix:" + path, e);
    }
  }

  private static GroupPrincipal group(String name) throws IOException {
    try {
      return FileSystems.getDefault()
          .getUserPrincipalLookupService()
          .lookupPrincipalByGroupName(name);
    } catch (UserPrincipalNotFoundException e) {
      throw new IOException("there is no group " + name, e);
    }
  }

  /** Removes the private place, and a socket that was not published. */
  static void unstage(Path staged) {
    try {
      Files.deleteIfExists(staged);
      Files.deleteIfExists(staged.getParent());
    } catch (IOException e) {
      LOG.warn("the folder {} is not removed: {}", staged.getParent(), e.getMessage());
    }
  }
}
