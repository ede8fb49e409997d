package dev.sluice.transport.grpc;

import static io.netty.handler.codec.http2.Http2CodecUtil.FRAME_HEADER_LENGTH;
import static io.netty.handler.codec.http2.Http2CodecUtil.writeFrameHeader;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2RemoteFlowController.FlowControlled;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.ReadOnlyHttp2Headers;
import io.netty.util.AsciiString;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A good answer: the frames of its headers, of its message and of its status. What the client's
 * windows let through at one time becomes one write. Frame by frame, a small answer would be three,
 * each with a buffer and with promises of its own.
 *
 * <p>Owns the message until it is written, or never will be. On the connection's event loop.
 */
final class UnaryResponseFrames implements FlowControlled {
  private static final Http2Headers HEADERS =
      ReadOnlyHttp2Headers.serverHeaders(
          false,
          AsciiString.cached("200"),
          AsciiString.cached("content-type"),
          AsciiString.cached("application/grpc"));

  /** Trailers that say no more than that all is well. */
  static final Http2Headers TRAILERS =
      ReadOnlyHttp2Headers.trailers(
          false, AsciiString.cached("grpc-status"), AsciiString.cached("0"));

  private static final Http2Flags NONE = new Http2Flags();
  private static final Http2Flags WHOLE = new Http2Flags().endOfHeaders(true);
  private static final Http2Flags LAST = new Http2Flags().endOfHeaders(true).endOfStream(true);

  /** Heads of three frames, and both blocks of headers at their longest; other trailers grow it. */
  private static final int AROUND = 3 * FRAME_HEADER_LENGTH + 64;

  /** Bytes of a frame at most, also for clients that would take more: each is copied once. */
  private static final int MOST = 64 * 1024;

  private final Http2Frames frames;
  private final Http2Stream stream;
  private final ByteBuf message;
  private final int length;
  private final Http2Headers trailers;

  /** Bytes of the message's own head, a flag and the length, that are written. */
  private int headWritten;

  private boolean begun;
  private @Nullable ChannelFuture written;

  UnaryResponseFrames(
      Http2Frames frames, Http2Stream stream, ByteBuf message, Http2Headers trailers) {
    this.trailers = trailers;
    this.frames = frames;
    this.stream = stream;
    this.message = message;
    this.length = message.readableBytes();
  }

  @Override
  public int size() {
    return GrpcReply.PREFIX - headWritten + message.readableBytes();
  }

  @Override
  public void write(ChannelHandlerContext ctx, int allowedBytes) {
    int part = Math.min(Math.min(size(), allowedBytes), Math.min(frames.maxSize(), MOST));
    ByteBuf out = ctx.alloc().directBuffer(AROUND + part);
    try {
      writeFrames(out, part);
    } catch (RuntimeException e) {
      out.release();
      throw e;
    }
    written = ctx.write(out);
  }

  private void writeFrames(ByteBuf out, int part) {
    if (!begun) {
      begun = true;
      writeHeaders(out, HEADERS, WHOLE);
      stream.headersSent(false);
    }
    writeFrameHeader(out, part, Http2FrameTypes.DATA, NONE, stream.id());
    int end = out.writerIndex() + part;
    while (headWritten < GrpcReply.PREFIX && out.writerIndex() < end) {
      out.writeByte(headByte(headWritten++));
    }
    out.writeBytes(message, end - out.writerIndex());
    if (size() == 0) {
      writeHeaders(out, trailers, LAST);
    }
  }

  /**
   * Returns the flag of a message that is not compressed, and its length, the highest byte first.
   */
  private int headByte(int index) {
    return index == 0 ? 0 : length >>> (Byte.SIZE * (GrpcReply.PREFIX - 1 - index));
  }

  private void writeHeaders(ByteBuf out, Http2Headers headers, Http2Flags flags) {
    int start = out.writerIndex();
    out.writeZero(FRAME_HEADER_LENGTH);
    frames.encode(stream, headers, out);
    int end = out.writerIndex();
    out.writerIndex(start);
    int size = end - start - FRAME_HEADER_LENGTH;
    writeFrameHeader(out, size, Http2FrameTypes.HEADERS, flags, stream.id());
    out.writerIndex(end);
  }

  @Override
  public void writeComplete() {
    message.release();
    frames.ended(stream, Objects.requireNonNull(written));
  }

  @Override
  public void error(@Nullable ChannelHandlerContext ctx, Throwable cause) {
    message.release();
    if (ctx != null && ctx.channel().isActive()) {
      frames.failed(ctx, cause);
    }
  }

  /** It ends its stream: nothing comes behind it. */
  @Override
  public boolean merge(ChannelHandlerContext ctx, FlowControlled next) {
    return false;
  }
}
