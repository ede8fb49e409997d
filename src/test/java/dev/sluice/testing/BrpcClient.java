package dev.sluice.testing;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A client of brpc's protocol, made from the facts of the wire alone: it shares no line with the
 * server's codec. One connection, one thread.
 */
public final class BrpcClient implements AutoCloseable {
  /** Longer than any answer here takes; a test that waits longer fails. */
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Closeable socket;
  private final OutputStream out;
  private final DataInputStream in;

  public BrpcClient(int port) throws IOException {
    var tcp = new Socket("localhost", port);
    tcp.setSoTimeout(TIMEOUT_MILLIS);
    tcp.setTcpNoDelay(true);
    socket = tcp;
    out = tcp.getOutputStream();
    in = new DataInputStream(tcp.getInputStream());
  }

  /** Connects to a Unix domain socket. */
  public BrpcClient(Path path) throws IOException {
    var unix = SocketChannel.open(UnixDomainSocketAddress.of(path));
    socket = unix;
    out = Channels.newOutputStream(unix);
    in = new DataInputStream(Channels.newInputStream(unix));
  }

  /**
   * What is said of a call.
   *
   * @param compression 0: none, 1: snappy, 2: gzip, 3: zlib
   * @param timeoutMillis 0: not said
   * @param attachmentSize how many of the body's last bytes are no part of the message
   * @param authentication who calls; empty: not said
   * @param userFields further texts by their names
   */
  public record Call(
      String service,
      String method,
      long correlationId,
      int compression,
      int timeoutMillis,
      int attachmentSize,
      String authentication,
      Map<String, String> userFields) {
    public Call(String service, String method, long correlationId) {
      this(service, method, correlationId, 0, 0, 0, "", Map.of());
    }

    private Call with(int compression, int timeoutMillis, int attached, String credential) {
      return new Call(
          service,
          method,
          correlationId,
          compression,
          timeoutMillis,
          attached,
          credential,
          userFields);
    }

    public Call compressed(int how) {
      return with(how, timeoutMillis, attachmentSize, authentication);
    }

    public Call within(int millis) {
      return with(compression, millis, attachmentSize, authentication);
    }

    public Call attaching(int bytes) {
      return with(compression, timeoutMillis, bytes, authentication);
    }

    /** The same, with a credential. */
    public Call from(String credential) {
      return with(compression, timeoutMillis, attachmentSize, credential);
    }

    /** The same, with these texts. */
    public Call saying(Map<String, String> fields) {
      return new Call(
          service,
          method,
          correlationId,
          compression,
          timeoutMillis,
          attachmentSize,
          authentication,
          fields);
    }

    /** The frame of the call. */
    public byte[] frame(byte[] body) {
      return BrpcClient.frame(meta(), body);
    }

    private byte[] meta() {
      return meta(authentication.isEmpty() ? List.of() : List.of(authentication));
    }

    /** The head of the call, with credentials of which there should be one at most. */
    public byte[] meta(List<String> credentials) {
      var request = UnknownFieldSet.newBuilder();
      request.addField(1, text(service)).addField(2, text(method));
      if (timeoutMillis != 0) {
        request.addField(8, number(timeoutMillis));
      }
      var meta = UnknownFieldSet.newBuilder();
      meta.addField(1, bytes(request.build().toByteString()));
      meta.addField(3, number(compression)).addField(4, number(correlationId));
      if (attachmentSize != 0) {
        meta.addField(5, number(attachmentSize));
      }
      if (!credentials.isEmpty()) {
        var several = Field.newBuilder();
        credentials.forEach(each -> several.addLengthDelimited(ByteString.copyFromUtf8(each)));
        meta.addField(7, several.build());
      }
      if (!userFields.isEmpty()) {
        var several = Field.newBuilder();
        userFields.forEach((key, value) -> several.addLengthDelimited(entry(key, value)));
        meta.addField(9, several.build());
      }
      return meta.build().toByteArray();
    }
  }

  /**
   * What came back.
   *
   * @param errorCode 0 if the call succeeded
   * @param userFields further texts by their names
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  public record Answer(
      long correlationId,
      int errorCode,
      String errorText,
      Map<String, String> userFields,
      byte[] message) {
    public String text() {
      return new String(message, StandardCharsets.UTF_8);
    }
  }

  private static ByteString entry(String key, String value) {
    return UnknownFieldSet.newBuilder()
        .addField(1, text(key))
        .addField(2, text(value))
        .build()
        .toByteString();
  }

  private static Map<String, String> entries(UnknownFieldSet meta) throws IOException {
    Map<String, String> entries = new LinkedHashMap<>();
    for (ByteString bytes : meta.getField(9).getLengthDelimitedList()) {
      UnknownFieldSet entry = UnknownFieldSet.parseFrom(bytes);
      entries.put(
          entry.getField(1).getLengthDelimitedList().getFirst().toStringUtf8(),
          entry.getField(2).getLengthDelimitedList().getFirst().toStringUtf8());
    }
    return entries;
  }

  private static Field text(String value) {
    return bytes(ByteString.copyFromUtf8(value));
  }

  private static Field bytes(ByteString value) {
    return Field.newBuilder().addLengthDelimited(value).build();
  }

  private static Field number(long value) {
    return Field.newBuilder().addVarint(value).build();
  }

  /** A frame with any meta and body. */
  public static byte[] frame(byte[] meta, byte[] body) {
    return ByteBuffer.allocate(12 + meta.length + body.length)
        .put("PRPC".getBytes(StandardCharsets.US_ASCII))
        .putInt(meta.length + body.length)
        .putInt(meta.length)
        .put(meta)
        .put(body)
        .array();
  }

  public void send(byte[] bytes) throws IOException {
    out.write(bytes);
  }

  /** Sends a call and waits for the next answer. */
  public Answer ask(Call call, byte[] body) throws IOException {
    send(call.frame(body));
    return answer();
  }

  /** The next answer, whatever call it belongs to. */
  public Answer answer() throws IOException {
    byte[] magic = in.readNBytes(4);
    if (!new String(magic, StandardCharsets.US_ASCII).equals("PRPC")) {
      throw new IOException("got " + magic.length + " bytes that begin no frame");
    }
    int length = in.readInt();
    int metaLength = in.readInt();
    UnknownFieldSet meta = UnknownFieldSet.parseFrom(in.readNBytes(metaLength));
    byte[] message = in.readNBytes(length - metaLength);
    UnknownFieldSet response =
        UnknownFieldSet.parseFrom(meta.getField(2).getLengthDelimitedList().getFirst());
    String error =
        response.hasField(2)
            ? response.getField(2).getLengthDelimitedList().getFirst().toStringUtf8()
            : "";
    return new Answer(
        meta.getField(4).getVarintList().getFirst(),
        response.getField(1).getVarintList().getFirst().intValue(),
        error,
        entries(meta),
        message);
  }

  /** Waits until the server has closed the connection without sending anything more. */
  public boolean isClosedByServer() {
    try {
      return in.read() < 0;
    } catch (java.net.SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
