package dev.sluice.transport.grpc.message;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.Body;
import dev.sluice.transport.ByteCollector;
import dev.sluice.transport.connection.RequestMemory;
import io.vertx.core.buffer.Buffer;

/** Body of a stream in gRPC-Web's text form, which is decoded as a whole. */
public final class TextBody {
  private final GrpcMessageReader reader;
  private final MemoryAccount account;
  private final RequestMemory memory;
  private final ByteCollector text = new ByteCollector();

  /**
   * @param account the call's, which is charged
   * @param memory where the account's memory is from
   */
  public TextBody(GrpcMessageReader reader, MemoryAccount account, RequestMemory memory) {
    this.reader = reader;
    this.account = account;
    this.memory = memory;
  }

  /**
   * Adds a piece.
   *
   * @throws InferenceException if the body is longer than it may be, or there is no memory for it
   */
  public void add(Buffer piece) {
    long size = text.size() + (long) piece.length();
    if (size > (long) ((reader.maxMessage() + GrpcMessageReader.PREFIX) * MessageBody.TEXT_RATIO)) {
      throw reader.tooLarge(size);
    }
    if (!account.tryCharge(Kind.BODY, piece.length())) {
      throw memory.busy(account.refusal(Kind.BODY, piece.length()));
    }
    text.add(piece);
  }

  /** Returns the number of bytes to decode. */
  public long size() {
    return text.size();
  }

  /**
   * Returns the frames that the text stands for. Any thread.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is not base64
   */
  public Buffer decode() {
    Body frames = GrpcMessageReader.fromText(text.toBody());
    return Buffer.buffer().appendBytes(frames.bytes(), frames.offset(), frames.length());
  }
}
