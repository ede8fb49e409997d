package dev.sluice.protocol.tfs.http;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.protocol.codec.JsonWriter;
import java.util.List;

/**
 * Writes {@code model_version_status}: every version, the highest first.
 *
 * <p>The document is protobuf's JSON form of GetModelStatusResponse, as the REST API of TensorFlow
 * Serving writes it.
 */
final class StatusJson {
  private StatusJson() {}

  /**
   * Writes the member.
   *
   * @param versions ascending
   */
  static void write(List<VersionStatus> versions, JsonWriter out) {
    out.raw("\"model_version_status\":[");
    for (int i = versions.size() - 1; i >= 0; i--) {
      write(versions.get(i), out);
      if (i > 0) {
        out.raw(',');
      }
    }
    out.raw(']');
  }

  private static void write(VersionStatus version, JsonWriter out) {
    out.raw("{\"version\":\"").number(version.version());
    out.raw("\",\"state\":\"").raw(version.state().name());
    out.raw("\",\"status\":{\"error_code\":\"").raw(errorCode(version)).raw("\",");
    out.key("error_message").string(version.error().map(VersionStatus.Failure::message).orElse(""));
    out.raw("}}");
  }

  private static String errorCode(VersionStatus version) {
    return version.error().map(failure -> name(failure.code())).orElse("OK");
  }

  private static String name(ErrorCode code) {
    return switch (code) {
      // The protocol has no code of its own for this.
      case TOO_LARGE -> ErrorCode.RESOURCE_EXHAUSTED.name();
      case INVALID_ARGUMENT,
          NOT_FOUND,
          FAILED_PRECONDITION,
          UNAUTHENTICATED,
          PERMISSION_DENIED,
          UNIMPLEMENTED,
          CANCELLED,
          RESOURCE_EXHAUSTED,
          UNAVAILABLE,
          DEADLINE_EXCEEDED,
          UNKNOWN,
          OUT_OF_RANGE,
          DATA_LOSS,
          ABORTED,
          ALREADY_EXISTS,
          INTERNAL ->
          code.name();
    };
  }
}
