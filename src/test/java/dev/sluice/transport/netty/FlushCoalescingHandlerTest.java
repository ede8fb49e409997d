package dev.sluice.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Settings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FlushCoalescingHandlerTest {
  private static final byte DATA = 0;
  private static final byte HEADERS = 1;
  private static final int FRAME_HEAD = 9;
  private final EmbeddedChannel channel = new EmbeddedChannel(new FlushCoalescingHandler());

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void flushesOfOneTurnAreMadeTogether() throws Exception {
    Http2ConnectionHandler handler = connectionWithStreams(1, 3);
    beginTurn();
    writeHeaders(handler, 1);
    handler.flush(channel.pipeline().context(handler));
    assertThat(framesWritten()).isEmpty();
    writeHeaders(handler, 3);
    channel.pipeline().fireChannelReadComplete();
    assertThat(framesWritten()).containsExactly(HEADERS, HEADERS);
  }

  @Test
  void aFullConnectionIsFlushedAsSoonAsThatIsAskedFor() throws Exception {
    Http2ConnectionHandler handler = connectionWithStreams(1);
    beginTurn();
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
    writeHeaders(handler, 1);
    assertThat(framesWritten()).isEmpty();
    handler.flush(channel.pipeline().context(handler));
    assertThat(framesWritten()).containsExactly(HEADERS);
  }

  /** Headers are two writes; data of another stream waits for a flush. */
  @Test
  void aConnectionThatBecomesFullIsNotFlushedBetweenAFramesHeadAndItsContent() throws Exception {
    Http2ConnectionHandler handler = connectionWithStreams(1, 3);
    beginTurn();
    writeHeaders(handler, 1);
    handler.flush(channel.pipeline().context(handler));
    writeData(handler, 1);
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
    writeHeaders(handler, 3);
    channel.pipeline().fireChannelReadComplete();
    assertThat(framesWritten()).containsExactly(HEADERS, HEADERS, DATA);
  }

  /** Flushes wait for the end of what is read now. */
  private void beginTurn() {
    channel.pipeline().fireChannelRead(Unpooled.EMPTY_BUFFER);
  }

  private void writeHeaders(Http2ConnectionHandler handler, int stream) {
    ChannelHandlerContext ctx = channel.pipeline().context(handler);
    var headers = new DefaultHttp2Headers().status("200");
    var _ = handler.encoder().writeHeaders(ctx, stream, headers, 0, false, ctx.newPromise());
  }

  private void writeData(Http2ConnectionHandler handler, int stream) {
    ChannelHandlerContext ctx = channel.pipeline().context(handler);
    ByteBuf data = Unpooled.copiedBuffer("data", StandardCharsets.US_ASCII);
    var _ = handler.encoder().writeData(ctx, stream, data, 0, false, ctx.newPromise());
  }

  private Http2ConnectionHandler connectionWithStreams(int... streams) throws Http2Exception {
    var connection = new DefaultHttp2Connection(true);
    Http2ConnectionHandler handler =
        new Http2ConnectionHandlerBuilder()
            .connection(connection)
            .initialSettings(new Http2Settings())
            .frameListener(new Http2FrameAdapter())
            .build();
    channel.pipeline().addLast(handler);
    for (int stream : streams) {
      connection.remote().createStream(stream, true);
    }
    channel.runPendingTasks();
    channel.releaseOutbound();
    return handler;
  }

  /** The types of the frames, read as a client would: by the lengths in their heads. */
  private List<Byte> framesWritten() {
    ByteBuf all = Unpooled.buffer();
    while (channel.readOutbound() instanceof ByteBuf part) {
      all.writeBytes(part);
      part.release();
    }
    List<Byte> types = new ArrayList<>();
    while (all.isReadable()) {
      int length = all.readUnsignedMedium();
      types.add(all.readByte());
      all.skipBytes(FRAME_HEAD - 4 + length);
    }
    return types;
  }
}
