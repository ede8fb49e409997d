package dev.sluice.transport.netty.http2;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Exception;

/**
 * Heads of HTTP/2, {@code name=value} in each line: what passes has a path, a method and a length
 * that mean one thing only.
 */
final class Http2HeadersFuzz implements FuzzTarget {
  private static final int MOST = 20;

  @Override
  public void accept(byte[] input) {
    var headers = new DefaultHttp2Headers(false);
    for (String line : new InputBytes(input).text().split("\n", -1)) {
      String[] parts = line.split("=", 2);
      if (parts.length == 2) {
        headers.add(parts[0], parts[1]);
      }
    }
    try {
      Http2Validity.checkCount(1, headers, MOST);
      Http2Validity.check(1, headers);
      Http2Validity.checkPath(1, headers.path());
    } catch (Http2Exception e) {
      return;
    }
    requireSound(headers);
  }

  private static void requireSound(DefaultHttp2Headers headers) {
    CharSequence path = headers.path();
    if (path != null && path.chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
      throw new AssertionError("the path " + path);
    }
    CharSequence method = headers.method();
    CharSequence length = headers.get("content-length");
    if (method != null && length != null && !length.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new AssertionError("the length " + length);
    }
    if (headers.size() > MOST + 4) {
      throw new AssertionError(headers.size() + " headers");
    }
  }
}
