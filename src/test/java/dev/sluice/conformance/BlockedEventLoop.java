package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * One event loop of a server in another process, which a debugger holds while the others go on: not
 * the one that accepts connections, since nobody would get one.
 */
final class BlockedEventLoop implements AutoCloseable {
  /** Connections of which at least one falls to an event loop that turns. */
  private static final int CONNECTIONS = 4;

  private static final int TIMEOUT_MILLIS = 1_000;
  private static final String REQUEST =
      "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  private final VirtualMachine machine;
  private final ThreadReference thread;
  private final int port;

  private BlockedEventLoop(VirtualMachine machine, ThreadReference thread, int port) {
    this.machine = machine;
    this.thread = thread;
    this.port = port;
  }

  /** The flag of a Java VM whose threads can be held. */
  static String flag(int debugPort) {
    return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=localhost:" + debugPort;
  }

  /**
   * Holds an event loop.
   *
   * @param port the server's
   */
  static BlockedEventLoop of(int debugPort, int port) throws IOException {
    VirtualMachine machine = attach(debugPort);
    List<ThreadReference> loops =
        machine.allThreads().stream()
            .filter(thread -> thread.name().startsWith("vert.x-eventloop-thread-"))
            .toList();
    assertThat(loops).hasSizeGreaterThan(1);
    for (ThreadReference loop : loops) {
      loop.suspend();
      var blocked = new BlockedEventLoop(machine, loop, port);
      if (blocked.live().stream().anyMatch(BlockedEventLoop::isLive)) {
        return blocked;
      }
      loop.resume();
    }
    throw new AssertionError("whichever event loop is blocked, no connection is accepted");
  }

  private static VirtualMachine attach(int debugPort) throws IOException {
    AttachingConnector connector =
        Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(each -> each.transport().name().equals("dt_socket"))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    requireNonNull(arguments.get("hostname")).setValue("localhost");
    requireNonNull(arguments.get("port")).setValue(Integer.toString(debugPort));
    try {
      return connector.attach(arguments);
    } catch (IllegalConnectorArgumentsException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the server says that it is not live, as V2 says it. */
  void awaitProblem() throws IOException {
    await(answer -> answer.startsWith("HTTP/1.1 400 "));
  }

  /** Lets it go on, and waits until the server is live again. */
  void release() throws IOException {
    thread.resume();
    await(BlockedEventLoop::isLive);
  }

  private static boolean isLive(String answer) {
    return answer.startsWith("HTTP/1.1 200 ");
  }

  private void await(Predicate<String> wanted) throws IOException {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    List<String> answers = live();
    while (answers.stream().noneMatch(wanted)) {
      assertThat(System.nanoTime()).as(answers.toString()).isLessThan(end);
      answers = live();
    }
  }

  /** What liveness says on some connections; nothing on one that falls to the blocked loop. */
  private List<String> live() throws IOException {
    var answers = new ArrayList<String>();
    for (int i = 0; i < CONNECTIONS; i++) {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.getOutputStream().write(REQUEST.getBytes(US_ASCII));
        answers.add(new String(socket.getInputStream().readAllBytes(), US_ASCII));
      } catch (SocketTimeoutException e) {
        answers.add("");
      }
    }
    return answers;
  }

  @Override
  public void close() {
    machine.dispose();
  }
}
