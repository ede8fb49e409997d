package dev.sluice.transport.grpc.message;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.transport.Body;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames of gRPC: the body of a stream is the same messages however it is cut, and the body of a
 * unary call is one of them. A digit in front chooses the coding; 1 is gRPC-Web's text form.
 */
final class GrpcFramesFuzz implements FuzzTarget {
  private static final int MOST = 64 << 10;

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    String encoding = bytes.one("gzip", "text", "identity", "deflate", "br");
    byte[] body = bytes.rest();
    var reader = new GrpcMessageReader(encoding, MOST, MOST);
    if (encoding.equals("text")) {
      Body plain = Rejection.request(() -> GrpcMessageReader.fromText(Body.of(body)));
      if (plain != null && plain.length() > body.length) {
        throw new AssertionError("base64 became longer");
      }
      return;
    }
    requireSameHoweverCut(reader, body);
    Body message = Rejection.request(() -> reader.read(Body.of(body)));
    if (message != null && message.length() > MOST) {
      throw new AssertionError("a message of " + message.length() + " bytes");
    }
  }

  private static void requireSameHoweverCut(GrpcMessageReader reader, byte[] body) {
    List<String> whole = messages(reader, List.of(body));
    List<String> cut = messages(reader, new InputBytes(body).pieces());
    if (!whole.equals(cut)) {
      throw new AssertionError(whole + " as a whole, " + cut + " in pieces");
    }
  }

  private static List<String> messages(GrpcMessageReader reader, List<byte[]> pieces) {
    MemoryAccount memory = new MemoryBudget(1L << 30).account();
    var splitter = new MessageSplitter(reader, memory);
    List<String> messages = new ArrayList<>();
    try {
      for (byte[] piece : pieces) {
        splitter.add(Buffer.buffer(piece));
        for (Body frame = splitter.next(); frame != null; frame = splitter.next()) {
          add(reader, frame, messages);
          splitter.taken(frame);
        }
      }
      messages.add(splitter.isEmpty() ? "whole" : String.valueOf(splitter.cutOff().getMessage()));
    } catch (InferenceException e) {
      Rejection.requireCallers(e);
      messages.add(String.valueOf(e.getMessage()));
    }
    return messages;
  }

  private static void add(GrpcMessageReader reader, Body frame, List<String> messages) {
    try (frame) {
      Body message = reader.read(frame).onHeap();
      messages.add(
          new String(
              message.bytes(), message.offset(), message.length(), StandardCharsets.ISO_8859_1));
    }
  }
}
