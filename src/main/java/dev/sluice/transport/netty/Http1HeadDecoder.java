package dev.sluice.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.AsciiString;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.impl.http1.VertxHttpRequestDecoder;
import java.util.List;

/**
 * Reads requests of HTTP/1.1 as Vert.x does, and counts their heads and trailers while they arrive:
 * one of too many headers, or for which there is no memory, ends as a failed request, which {@link
 * Http1Validity} turns into an answer. On the connection's event loop.
 */
public final class Http1HeadDecoder extends VertxHttpRequestDecoder {
  /** Bytes of the headers of a request, and of a line. */
  public static final int MAX_HEADERS = 32 * 1024;

  private final Http1HeadMemory heads;
  private boolean inHead;

  private Http1HeadDecoder(Http1HeadMemory heads) {
    super(new Http1ServerConfig().setMaxHeaderSize(MAX_HEADERS));
    this.heads = heads;
  }

  /**
   * Takes the place of Vert.x' decoder in a connection of a listener, if that speaks HTTP/1.1 and
   * no line has been read: what has arrived goes to this one.
   */
  static void replace(ChannelPipeline pipeline) {
    ChannelHandlerContext decoder = pipeline.context(HttpRequestDecoder.class);
    Http1HeadMemory heads = Http1HeadMemory.of(pipeline.channel());
    if (heads != null && decoder != null && !(decoder.handler() instanceof Http1HeadDecoder)) {
      String name = decoder.name();
      pipeline.replace(name, name, new Http1HeadDecoder(heads));
    }
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out)
      throws Exception {
    int before = buffer.readableBytes();
    int messages = out.size();
    super.decode(ctx, buffer, out);
    int consumed = before - buffer.readableBytes();
    if (inHead) {
      heads.read(consumed);
      inHead = out.size() == messages;
    } else {
      heads.unread(consumed == 0 ? before : 0);
    }
  }

  @Override
  protected HttpMessage createMessage(String[] line) {
    inHead = true;
    heads.begin();
    return super.createMessage(line);
  }

  @Override
  protected AsciiString splitHeaderName(byte[] line, int start, int length) {
    heads.field();
    return super.splitHeaderName(line, start, length);
  }
}
