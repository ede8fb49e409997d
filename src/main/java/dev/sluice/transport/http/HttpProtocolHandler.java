package dev.sluice.transport.http;

/**
 * One protocol's HTTP side. A new protocol is a new implementation, never an edit to the listener.
 */
public interface HttpProtocolHandler {
  /** Claims this protocol's paths. Called once per event loop, before the port opens. */
  void mount(HttpRoutes routes);
}
