package dev.sluice.boot;

import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;

/** Why the server could not start, for the person who started it. Carries no stack trace. */
public final class StartFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StartFailure(String message) {
    super(message, null, false, false);
  }

  /**
   * A listener that could not be opened.
   *
   * @param address as people write it
   */
  static StartFailure cannotListen(String address, Throwable cause) {
    String why =
        switch (cause) {
          case BindException bind when text(bind).contains("in use") -> "is in use";
          case BindException bind when text(bind).contains("assign") ->
              "is no address of this machine";
          case UnknownHostException _ -> "is no host that can be found";
          case UnresolvedAddressException _ -> "is no host that can be found";
          default -> "cannot be listened on: " + text(cause);
        };
    return new StartFailure(address + " " + why);
  }

  private static String text(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
