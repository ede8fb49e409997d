package dev.sluice.transport.brpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The message RpcMeta of a frame, of which only the fields that concern the server are read.
 *
 * @param service the service's full name
 * @param method the method's name
 * @param timeoutMillis how long the client waits; 0 or less: it does not say
 * @param headers what other protocols have in headers
 * @param compression how the message is compressed
 * @param correlationId by which the client knows the answer
 * @param attachmentSize bytes behind the message that do not belong to it
 * @param authentications what brpc's authenticators put there: a credential as HTTP's header
 *     Authorization has it, or a bare key; empty if there is none, two if there are several
 */
record RpcMeta(
    String service,
    String method,
    int timeoutMillis,
    Headers headers,
    int compression,
    long correlationId,
    int attachmentSize,
    List<String> authentications) {
  /**
   * What a call says besides its method, as requests of other protocols do in headers.
   *
   * @param requestId names the request in logs; empty if the client does not
   * @param trace of the trace that the client's span belongs to; 0: it has none
   * @param span of the client's span
   * @param userFields texts by their names, in lower case: brpc's user_fields
   */
  record Headers(String requestId, long trace, long span, Map<String, String> userFields) {
    /** Bytes of an entry of a map, beside those of its texts. */
    private static final int ENTRY = 128;

    Headers {
      userFields = Map.copyOf(userFields);
    }

    /**
     * Returns the value of a header, or null. The client's span has the form of W3C Trace Context:
     * a client of brpc sends a span only if it collects it.
     */
    @Nullable String value(CharSequence name) {
      String value = userFields.isEmpty() ? null : userFields.get(name.toString());
      return value == null && trace != 0 && "traceparent".contentEquals(name)
          ? "00-%032x-%016x-01".formatted(trace, span)
          : value;
    }

    /** Returns the bytes of the fields on the heap, roughly. */
    long bytes() {
      long bytes = 0;
      for (Map.Entry<String, String> field : userFields.entrySet()) {
        bytes += ENTRY + 2L * (field.getKey().length() + field.getValue().length());
      }
      return bytes;
    }
  }

  /** Returns the name of the request in logs; empty if the client gives none. */
  String requestId() {
    return headers.requestId;
  }

  RpcMeta {
    authentications = List.copyOf(authentications);
  }

  /** Field of an entry of user_fields, whose own are the two below. Answers have them, too. */
  static final int USER_FIELDS_NUMBER = 9;

  static final int KEY_NUMBER = 1;
  static final int VALUE_NUMBER = 2;

  /** As many as a client has a use for; each costs more memory than its bytes. */
  private static final int MOST_USER_FIELDS = 64;

  private static final int REQUEST = delimited(1);
  private static final int COMPRESSION = varint(3);
  private static final int CORRELATION_ID = varint(4);
  private static final int ATTACHMENT_SIZE = varint(5);

  private static final int AUTHENTICATION = delimited(7);
  private static final int USER_FIELDS = delimited(USER_FIELDS_NUMBER);

  private static final int KEY = delimited(KEY_NUMBER);
  private static final int VALUE = delimited(VALUE_NUMBER);

  private static final int SERVICE = delimited(1);
  private static final int METHOD = delimited(2);
  private static final int TRACE_ID = varint(4);
  private static final int SPAN_ID = varint(5);
  private static final int REQUEST_ID = delimited(7);
  private static final int TIMEOUT = varint(8);

  private static int delimited(int field) {
    return (field << 3) | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  private static int varint(int field) {
    return (field << 3) | WireFormat.WIRETYPE_VARINT;
  }

  /**
   * Reads the bytes of the message.
   *
   * @throws IOException if they are no such message, or one that asks for nothing
   */
  static RpcMeta read(byte[] bytes) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(bytes);
    var reading = new Reading();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      reading.field(in, tag);
    }
    if (!reading.isRequest) {
      throw new InvalidProtocolBufferException("it has no request");
    }
    return reading.meta();
  }

  private static final class Reading {
    boolean isRequest;
    private String service = "";
    private String method = "";
    private String requestId = "";
    private long traceId;
    private long spanId;
    private int timeoutMillis;
    private int compression;
    private int attachmentSize;
    private long correlationId;
    private List<String> authentications = List.of();
    private Map<String, String> userFields = Map.of();

    void field(CodedInputStream in, int tag) throws IOException {
      if (tag == REQUEST) {
        isRequest = true;
        int outer = in.pushLimit(in.readRawVarint32());
        for (int inner = in.readTag(); inner != 0; inner = in.readTag()) {
          requestField(in, inner);
        }
        in.popLimit(outer);
      } else if (tag == COMPRESSION) {
        compression = in.readInt32();
      } else if (tag == CORRELATION_ID) {
        correlationId = in.readInt64();
      } else if (tag == ATTACHMENT_SIZE) {
        attachmentSize = in.readInt32();
      } else if (tag == AUTHENTICATION) {
        authenticated(in.readBytes().toStringUtf8());
      } else if (tag == USER_FIELDS) {
        userField(in);
      } else {
        in.skipField(tag);
      }
    }

    private void authenticated(String authentication) {
      authentications =
          authentications.isEmpty()
              ? List.of(authentication)
              : List.of(authentications.getFirst(), authentication);
    }

    private void userField(CodedInputStream in) throws IOException {
      String key = "";
      String value = "";
      int outer = in.pushLimit(in.readRawVarint32());
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == KEY) {
          key = in.readString();
        } else if (tag == VALUE) {
          value = in.readString();
        } else {
          in.skipField(tag);
        }
      }
      in.popLimit(outer);
      if (userFields.isEmpty()) {
        userFields = new HashMap<>();
      }
      userFields.put(key.toLowerCase(Locale.ROOT), value);
      if (userFields.size() > MOST_USER_FIELDS) {
        throw new InvalidProtocolBufferException(
            "it has more than %d user_fields".formatted(MOST_USER_FIELDS));
      }
    }

    private void requestField(CodedInputStream in, int tag) throws IOException {
      if (tag == SERVICE) {
        service = in.readStringRequireUtf8();
      } else if (tag == METHOD) {
        method = in.readStringRequireUtf8();
      } else if (tag == REQUEST_ID) {
        requestId = in.readStringRequireUtf8();
      } else if (tag == TRACE_ID) {
        traceId = in.readInt64();
      } else if (tag == SPAN_ID) {
        spanId = in.readInt64();
      } else if (tag == TIMEOUT) {
        timeoutMillis = in.readInt32();
      } else {
        in.skipField(tag);
      }
    }

    RpcMeta meta() {
      return new RpcMeta(
          service,
          method,
          timeoutMillis,
          new Headers(requestId, traceId, spanId, userFields),
          compression,
          correlationId,
          attachmentSize,
          authentications);
    }
  }
}
