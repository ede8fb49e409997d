package dev.sluice.loadtest.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Everything that one load test found.
 *
 * @param machine what it ran on, in words
 * @param date when, in words
 * @param rounds how long and how many, in words
 * @param rows one for each goal
 * @param curves for the plots
 */
public record Report(
    String machine, String date, String rounds, List<Row> rows, List<Curve> curves) {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .addModule(new SimpleModule().addSerializer(double.class, new Figures()))
          .build();

  public Report {
    rows = List.copyOf(rows);
    curves = List.copyOf(curves);
  }

  /** Rounds to what a figure is worth; writes null for what is not a number, as JSON has none. */
  private static final class Figures extends StdSerializer<Double> {
    private static final long serialVersionUID = 1L;

    Figures() {
      super(Double.class);
    }

    @Override
    public void serialize(Double value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      if (Double.isFinite(value)) {
        out.writeNumber(Math.round(value * 1000) / 1000.0);
      } else {
        out.writeNull();
      }
    }
  }

  /** The report as JSON. */
  public String json() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes {@code report.json}, {@code report.md} and {@code report.html} into a folder. */
  public void writeTo(Path folder) {
    try {
      Files.writeString(folder.resolve("report.json"), json());
      Files.writeString(folder.resolve("report.md"), MarkdownTable.of(this));
      Files.writeString(folder.resolve("report.html"), Page.of(this));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
