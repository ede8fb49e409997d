package dev.sluice.transport.netty;

import dev.sluice.transport.connection.RateLimitedLog;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.RawUnixChannelOption;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Socket filter by which Linux ignores attempts to connect to a listening socket, so that its
 * accept queue can be emptied before it is closed: closing resets connections that no thread has
 * accepted, and their clients have sent requests by then. A client whose attempt is ignored repeats
 * it after a second, and learns then that the port is closed.
 */
final class SynFilter {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(LoggerFactory.getLogger(SynFilter.class));

  /** Of asm-generic/socket.h, which the architectures that are supported share. */
  private static final int SOL_SOCKET = 1;

  private static final int SO_ATTACH_FILTER = 26;

  /** A {@code struct sock_fprog}: how many instructions, padding, and where they are. */
  private static final int PROGRAM_BYTES = 16;

  private static final RawUnixChannelOption FILTER =
      new RawUnixChannelOption("SO_ATTACH_FILTER", SOL_SOCKET, SO_ATTACH_FILTER, PROGRAM_BYTES);

  /** The flags of a TCP header, and the two of them that tell a first segment from an answer. */
  private static final int FLAGS = 13;

  private static final int SYN = 0x02;
  private static final int ACK = 0x10;

  /** Classic BPF over a segment from its TCP header on. */
  private static final long[] INSTRUCTIONS = {
    instruction(0x30, 0, 0, FLAGS), // load the byte of the flags
    instruction(0x54, 0, 0, SYN | ACK), // and with these
    instruction(0x15, 0, 1, SYN), // if it is a first segment,
    instruction(0x06, 0, 0, 0), // drop it,
    instruction(0x06, 0, 0, 0x4_0000), // else pass it
  };

  private SynFilter() {}

  /**
   * Returns a {@code struct sock_filter}: code, jumps if true and if false, operand. Little-endian.
   */
  private static long instruction(int code, int jumpTrue, int jumpFalse, int operand) {
    return code | (long) jumpTrue << 16 | (long) jumpFalse << 24 | (long) operand << 32;
  }

  /**
   * Has the system ignore new attempts to connect from now on. On the server's event loop.
   *
   * @return false if this system or this transport cannot do it; nothing has changed then
   */
  static boolean attach(Channel server) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment instructions = arena.allocateFrom(ValueLayout.JAVA_LONG, INSTRUCTIONS);
      MemorySegment program = arena.allocate(PROGRAM_BYTES, Long.BYTES);
      program.set(ValueLayout.JAVA_SHORT, 0, (short) INSTRUCTIONS.length);
      program.set(ValueLayout.JAVA_LONG, Long.BYTES, instructions.address());
      ByteBuffer value = program.asByteBuffer();
      return server.config().setOption(FILTER, value);
    } catch (ChannelException | IllegalArgumentException e) {
      LOG.at(Level.DEBUG, "filter").log(
          "attempts to connect cannot be filtered: {}", e.getMessage());
      return false;
    }
  }
}
