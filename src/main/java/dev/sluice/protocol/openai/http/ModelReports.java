package dev.sluice.protocol.openai.http;

import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.v1.http.V1Report;
import dev.sluice.protocol.v1.http.V1Reporter;
import dev.sluice.protocol.v1.http.V1Request;
import java.time.InstantSource;
import java.util.List;

/**
 * What clients of this interface read of models: all of its own answers, and a part of V1's where a
 * listener carries both.
 *
 * @param started when the server was started: the server does not know when models were made
 */
public record ModelReports(InstantSource started) implements V1Reporter {
  /** Makes reports of models that were there from now on. */
  public static ModelReports fromNow(InstantSource clock) {
    return new ModelReports(InstantSource.fixed(clock.instant()));
  }

  @Override
  public boolean speaks(V1Request request) {
    return switch (request) {
      case V1Request.Index _ -> true;
      case V1Request.Status(var model) -> model instanceof ModelSelector.Latest;
      case V1Request.Nameless _, V1Request.Metadata _, V1Request.Call _ -> false;
    };
  }

  @Override
  public void write(V1Report report, JsonWriter out) {
    switch (report) {
      case V1Report.Models(var names) -> list(names, out);
      case V1Report.Versions versions -> model(versions.name(), out);
      case V1Report.Metadata _ -> {}
    }
  }

  /** Writes the members of a list. */
  void list(List<String> names, JsonWriter out) {
    out.raw("\"object\":\"list\",\"data\":[");
    for (int i = 0; i < names.size(); i++) {
      model(names.get(i), out.raw(i == 0 ? "{" : ",{"));
      out.raw('}');
    }
    out.raw(']');
  }

  /** Writes the members of one model. */
  void model(String name, JsonWriter out) {
    out.raw("\"id\":").string(name).raw(",\"object\":\"model\",\"created\":");
    out.number(started.instant().getEpochSecond()).raw(",\"owned_by\":\"sluice\"");
  }
}
