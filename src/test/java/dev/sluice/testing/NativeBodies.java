package dev.sluice.testing;

import dev.sluice.transport.Body;
import dev.sluice.transport.Buffers;
import dev.sluice.transport.ByteCollector;

/** Bodies in native memory. */
public final class NativeBodies {
  private NativeBodies() {}

  /** A body with these bytes, which the caller closes; raw bytes of a tensor begin somewhere. */
  public static Body body(byte[] bytes, int tensorAt) {
    var collector = new ByteCollector();
    collector.expect(bytes.length);
    collector.land(tensorAt);
    collector.add(Buffers.wrap(bytes, 0, bytes.length));
    return collector.toBody();
  }
}
