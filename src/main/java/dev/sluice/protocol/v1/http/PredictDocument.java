package dev.sluice.protocol.v1.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.v1.http.element.JsonDump;
import dev.sluice.transport.Body;

/**
 * A predict body that was checked to be JSON as a whole, and where its members are. The first of
 * several members of one name counts; unknown ones are ignored.
 *
 * @param body the bytes
 * @param start where the object begins
 * @param signature the name of the signature; empty if none is given
 * @param instances where that value begins; -1 if there is none
 * @param inputs where that value begins; -1 if there is none
 * @param parameters where that value begins; -1 if there is none
 */
record PredictDocument(
    Body body, int start, String signature, int instances, int inputs, int parameters) {
  /**
   * Checks a body and finds its members.
   *
   * @throws dev.sluice.protocol.codec.JsonException if it is not JSON
   * @throws InferenceException with INVALID_ARGUMENT if it is no object, or names no signature
   */
  static PredictDocument read(Body body) {
    var in = new JsonCursor(body);
    boolean isObject = in.peek() == Kind.OBJECT;
    int start = in.position();
    if (!isObject) {
      in.skipValue();
      in.finish();
      throw InferenceException.invalid(
          "JSON Value: " + JsonDump.of(body, start) + " Is not object");
    }
    return members(body, in, start);
  }

  private static PredictDocument members(Body body, JsonCursor in, int start) {
    int signature = -1;
    int instances = -1;
    int inputs = -1;
    int parameters = -1;
    in.beginObject();
    while (in.nextKey()) {
      if (instances < 0 && in.keyIs("instances")) {
        instances = in.position();
      } else if (inputs < 0 && in.keyIs("inputs")) {
        inputs = in.position();
      } else if (signature < 0 && in.keyIs("signature_name")) {
        signature = in.position();
      } else if (parameters < 0 && in.keyIs("parameters")) {
        parameters = in.position();
      }
      in.skipValue();
    }
    in.finish();
    return new PredictDocument(
        body, start, signatureName(body, in, start, signature), instances, inputs, parameters);
  }

  private static String signatureName(Body body, JsonCursor in, int start, int at) {
    if (at < 0) {
      return "";
    }
    in.seek(at);
    if (in.peek() != Kind.STRING) {
      throw InferenceException.invalid(
          "JSON Value: "
              + JsonDump.of(body, start)
              + " not formatted correctly. 'signature_name' key must be a string value.");
    }
    return in.string().toText();
  }

  /**
   * Returns the signature that is meant.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the model has no such, or it takes nothing
   */
  Signature signature(ModelMetadata model) {
    Signature found =
        model
            .signature(signature)
            .orElseThrow(() ->
                InferenceException.invalid(
                    "Serving signature name: \""
                        + (signature.isEmpty() ? Signature.DEFAULT : signature)
                        + "\" not found in signature def"));
    if (found.inputs().isEmpty()) {
      throw InferenceException.invalid(
          "Failed to get input map for signature: "
              + (signature.isEmpty() ? "DEFAULT" : signature));
    }
    return found;
  }

  /** Returns a cursor before the value at a place. */
  JsonCursor at(int position) {
    var in = new JsonCursor(body);
    in.seek(position);
    return in;
  }

  /** Returns the whole document as messages show it. */
  String dump() {
    return JsonDump.of(body, start);
  }
}
