package dev.sluice.testing;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.protocol.oip.ForwardedHeaders;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.telemetry.Telemetry;
import java.util.function.LongSupplier;

/** Servers of V2 without statistics, forwarded headers or shared memory. */
public final class OipServers {
  private OipServers() {}

  /** Returns a server of fake planes. */
  public static <P extends DataPlane & ControlPlane> OipServer of(P planes, LongSupplier nanoTime) {
    return of(planes, planes, nanoTime);
  }

  /** Returns a server of two fake planes. */
  public static OipServer of(DataPlane data, ControlPlane control, LongSupplier nanoTime) {
    return new OipServer(
        data,
        control,
        new FakeLog(),
        new OipServer.Identity("sluice", "1"),
        Telemetry.unseen(),
        ForwardedHeaders.NONE,
        null,
        nanoTime);
  }
}
