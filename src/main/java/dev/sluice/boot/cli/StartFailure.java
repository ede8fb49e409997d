package dev.sluice.boot.cli;

import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;

/** The reason why the server could not start, in words for the operator. Carries no stack trace. */
public final class StartFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StartFailure(String message) {
    super(message, null, false, false);
  }

  /**
   * Returns a listener that could not be opened.
   *
   * @param address as people write it
   */
  public static StartFailure cannotListen(String address, Throwable cause) {
    return new StartFailure(address + " " + why(cause));
  }

  /** Returns the reason in the system's words, since each transport has exceptions of its own. */
  private static String why(Throwable cause) {
    String text = text(cause);
    if (text.contains("in use")) {
      return "is in use";
    }
    if (text.contains("assign requested address")) {
      return "is no address of this machine";
    }
    if (text.contains("ermission denied")) {
      return "needs the permission to listen on a port below 1024";
    }
    return cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException
        ? "is no host that can be found"
        : "cannot be listened on: " + text;
  }

  private static String text(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
