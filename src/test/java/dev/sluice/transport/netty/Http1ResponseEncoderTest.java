package dev.sluice.transport.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Http1ResponseEncoderTest {
  private static final String HEAD = "HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n";

  /** The buffers that go to the socket, as text. */
  private static List<String> written(int bodySize) {
    var response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.OK,
            Unpooled.copiedBuffer("x".repeat(bodySize), US_ASCII));
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, bodySize);
    var channel = new EmbeddedChannel(new Http1ResponseEncoder());
    channel.writeOutbound(response);
    var buffers = new ArrayList<String>();
    for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
      buffers.add(next.toString(US_ASCII));
      next.release();
    }
    assertThat(response.refCnt()).isZero();
    channel.finish();
    return buffers;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 200, 3_000, 65_536})
  void bodyIsWrittenInTheBufferOfItsHead(int size) {
    assertThat(written(size)).containsExactly(HEAD.formatted(size) + "x".repeat(size));
  }

  @Test
  void largeBodyIsABufferOfItsOwn() {
    assertThat(written(65_537)).containsExactly(HEAD.formatted(65_537), "x".repeat(65_537));
  }

  @Test
  void answerWithoutABodyIsItsHead() {
    assertThat(written(0)).containsExactly(HEAD.formatted(0));
  }
}
