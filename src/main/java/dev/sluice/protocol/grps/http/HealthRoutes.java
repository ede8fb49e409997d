package dev.sluice.protocol.grps.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.transport.http.HttpExchange;

/**
 * The online switch, by which a load balancer decides whether to send traffic. Predictions are
 * served either way, and a request's body means nothing here. The server is live when its models
 * are loaded, since that is what grps' start scripts wait for.
 */
record HealthRoutes(ControlPlane control) {
  void online(HttpExchange http) {
    set(http, true);
  }

  void offline(HttpExchange http) {
    set(http, false);
  }

  private void set(HttpExchange http, boolean online) {
    try {
      control.setOnline(online, http.caller());
      MessageJson.answer(http, GrpsStatus.OK);
    } catch (InferenceException e) {
      MessageJson.answer(http, GrpsStatus.of(e));
    }
  }

  void live(HttpExchange http) {
    MessageJson.answer(http, control.started() ? GrpsStatus.OK : GrpsStatus.OFFLINE);
  }

  void ready(HttpExchange http) {
    MessageJson.answer(http, control.online() ? GrpsStatus.OK : GrpsStatus.OFFLINE);
  }
}
