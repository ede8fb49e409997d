package dev.sluice.boot.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.inference.BoundedText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import org.slf4j.event.KeyValuePair;

/**
 * Log lines for programs: one JSON object for each event, facts beside the message.
 *
 * <p>Threads: the log's own. Every line is one valid JSON document; a caller's text is escaped and
 * bounded as in {@link TextLayout}, so that no request can forge a line.
 */
public final class JsonLayout extends LayoutBase<ILoggingEvent> {
  private static final JsonFactory JSON = new JsonFactory();

  @Override
  public String doLayout(ILoggingEvent event) {
    var line = new StringWriter(256);
    try (JsonGenerator json = JSON.createGenerator(line)) {
      write(event, json);
    } catch (IOException e) {
      throw new UncheckedIOException("a string writer cannot fail", e);
    }
    return line.append('\n').toString();
  }

  private static void write(ILoggingEvent event, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("time", TextLayout.TIME.format(event.getInstant()));
    json.writeStringField("level", event.getLevel().levelStr);
    json.writeStringField("logger", event.getLoggerName());
    json.writeStringField(
        "message", shown(event.getFormattedMessage(), TextLayout.LONGEST_MESSAGE));
    for (KeyValuePair fact : TextLayout.facts(event)) {
      json.writeStringField(fact.key, shown(String.valueOf(fact.value), TextLayout.LONGEST_FACT));
    }
    if (event.getThrowableProxy() != null) {
      json.writeStringField(
          "trace",
          shown(ThrowableProxyUtil.asString(event.getThrowableProxy()), TextLayout.LONGEST_TRACE));
    }
    json.writeEndObject();
  }

  private static String shown(String text, int longest) {
    return BoundedText.escape(BoundedText.cut(text, longest));
  }
}
