package dev.sluice.loadtest.generator;

import java.util.Map;

/**
 * A request that is sent again and again.
 *
 * @param path what is asked for, from the slash on
 * @param headers besides those that a generator sets itself
 * @param body what is posted
 */
@SuppressWarnings("ArrayRecordComponent") // Requests are never compared.
public record Request(String path, Map<String, String> headers, byte[] body) {
  public Request {
    headers = Map.copyOf(headers);
  }
}
