package dev.sluice.protocol.codec.protobuf;

/**
 * Bytes are not a protobuf message. Never reaches a client as it is: each protocol handler reports
 * it in its protocol's form, with INVALID_ARGUMENT.
 */
public final class ProtobufException extends RuntimeException {
  public ProtobufException(String reason) {
    super(reason, null, false, false);
  }
}
