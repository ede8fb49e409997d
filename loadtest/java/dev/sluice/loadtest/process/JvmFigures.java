package dev.sluice.loadtest.process;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.PlatformManagedObject;
import java.util.List;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What another JVM of this machine and user says of itself. */
public final class JvmFigures implements AutoCloseable {
  private final JMXConnector connector;
  private final MemoryMXBean memory;
  private final com.sun.management.ThreadMXBean threads;
  private final List<BufferPoolMXBean> buffers;

  private JvmFigures(JMXConnector connector) throws IOException {
    this.connector = connector;
    MBeanServerConnection server = connector.getMBeanServerConnection();
    this.memory = bean(server, MemoryMXBean.class);
    this.threads = bean(server, com.sun.management.ThreadMXBean.class);
    this.buffers = ManagementFactory.getPlatformMXBeans(server, BufferPoolMXBean.class);
  }

  private static <T extends PlatformManagedObject> T bean(
      MBeanServerConnection server, Class<T> type) throws IOException {
    return ManagementFactory.getPlatformMXBean(server, type);
  }

  /** Asks the JVM of a process to open a local connection for management. */
  @SuppressWarnings("BanJNDI") // The other side is a server that the load test started itself.
  public static JvmFigures of(ProcessFigures process) {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(process.pid()));
      try {
        String address = machine.startLocalManagementAgent();
        return new JvmFigures(JMXConnectorFactory.connect(new JMXServiceURL(address)));
      } finally {
        machine.detach();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (AttachNotSupportedException e) {
      throw new IllegalStateException("no JVM that can be asked: " + process, e);
    }
  }

  /** Bytes that all threads ever allocated on the Java heap, ended ones included. */
  public long allocatedBytes() {
    return threads.getTotalThreadAllocatedBytes();
  }

  /** Bytes on the Java heap that something still points to. */
  public long liveHeapBytes() {
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }

  /** Bytes of direct buffers. */
  public long directBytes() {
    return buffers.stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
