package dev.sluice.protocol.grps.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.grps.GrpsMetadata;
import dev.sluice.protocol.grps.GrpsStatus;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;

/** Serves metadata: the server and its models as YAML text in {@code str_data}. */
record MetadataRoutes(GrpsMetadata metadata) {
  void server(HttpExchange http) {
    MessageJson.answerText(http, metadata.server(http.caller()));
  }

  void model(HttpExchange http) {
    http.body()
        .compose(body -> http.compute(body.work(), () -> modelName(body)))
        .map(name -> metadata.model(name, http.caller()))
        .onSuccess(text -> MessageJson.answerText(http, text))
        .onFailure(e -> MessageJson.answer(http, GrpsStatus.of(http.explain(e))));
  }

  private static String modelName(Body body) {
    try {
      return readName(new JsonCursor(body));
    } catch (JsonException e) {
      throw GrpsJson.malformed(e);
    }
  }

  private static String readName(JsonCursor in) {
    GrpsJson.requireObject(in, "the request");
    String name = null;
    in.beginObject();
    while (in.nextKey()) {
      if (GrpsJson.keyIs(in, "str_data", "strData") && GrpsJson.isPresent(in)) {
        name = GrpsJson.text(in, "str_data");
      } else {
        in.skipValue();
      }
    }
    in.finish();
    if (name == null) {
      throw InferenceException.invalid("No model name.");
    }
    return name;
  }
}
