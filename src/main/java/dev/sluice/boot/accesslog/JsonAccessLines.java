package dev.sluice.boot.accesslog;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.boot.log.LineFormat;
import dev.sluice.config.server.AccessLogPattern.Field;
import dev.sluice.telemetry.access.AccessEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** One JSON object for each call, with the fields that it has. For one thread. */
final class JsonAccessLines implements LineFormat<AccessEntry> {
  private static final JsonFactory JSON =
      new JsonFactory().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);

  @Override
  public void append(AccessEntry entry, ByteArrayOutputStream lines) throws IOException {
    try (JsonGenerator json = JSON.createGenerator(lines)) {
      json.writeStartObject();
      for (Field field : Field.values()) {
        String value = AccessFields.of(entry, field);
        if (value != null) {
          json.writeFieldName(field.text());
          write(json, field, value);
        }
      }
      json.writeEndObject();
    }
    lines.write('\n');
  }

  private static void write(JsonGenerator json, Field field, String value) throws IOException {
    if (field.isNumber()) {
      json.writeNumber(value);
    } else {
      json.writeString(value);
    }
  }
}
