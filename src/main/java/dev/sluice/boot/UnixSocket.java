package dev.sluice.boot;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of a Unix domain socket. Blocks on the file system. */
final class UnixSocket {
  private static final Logger LOG = LoggerFactory.getLogger(UnixSocket.class);

  private UnixSocket() {}

  /**
   * Removes the socket that a server which was killed has left.
   *
   * @throws StartFailure if the file is something else, or somebody listens on it
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

  /** Removes the server's own socket; what has taken its place meanwhile stays. */
  static void remove(Path path) {
    try {
      clear(path);
    } catch (StartFailure e) {
      LOG.warn("the socket is not removed: {}", e.getMessage());
    }
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

  /** Lets nobody but the server's own user connect. */
  static void keepToOwner(Path path) {
    try {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw StartFailure.cannotListen("unix:" + path, e);
    }
  }
}
