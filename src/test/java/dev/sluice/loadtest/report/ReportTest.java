package dev.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.report.Curve.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  private static final Row MET =
      Row.ofRates(
          "V2 binary",
          0.65,
          new Measurement(52_800.5, 1_105, 4_288, 9).withCost(180, 0.01),
          new Measurement(66_000, 900, 2_000, 10).withCost(240, 0),
          "64 connections");
  private static final Report REPORT =
      new Report(
          "2 × a processor",
          "2026-01-02",
          "medians of 3 rounds of 3 s per side",
          List.of(MET, Row.failed("idle", "no files left")),
          List.of(new Curve("V1 </script>", "Sluice", List.of(new Point(64, 1, 2, 3)))));

  @Test
  void rowsOfTheJsonHaveRatioAndGoalAndBothRates() throws IOException {
    JsonNode row = new JsonMapper().readTree(REPORT.json()).get("rows").get(0);
    assertThat(row.get("workload").asText()).isEqualTo("V2 binary");
    assertThat(row.get("ratio").asDouble()).isEqualTo(0.8);
    assertThat(row.get("goal").asDouble()).isEqualTo(0.65);
    assertThat(row.get("rate").asDouble()).isEqualTo(52_800.5);
    assertThat(row.get("p50").asDouble()).isEqualTo(1_105);
    assertThat(row.get("p99").asDouble()).isEqualTo(4_288);
    assertThat(row.get("cpu_micros").asDouble()).isEqualTo(20);
    assertThat(row.get("ceiling_rate").asDouble()).isEqualTo(66_000);
    assertThat(row.get("ceiling_cpu_micros").asDouble()).isEqualTo(24);
    assertThat(row.get("cpu_ratio").asDouble()).isEqualTo(1.2);
    assertThat(row.get("cpu_low").isNull()).isTrue();
    assertThat(row.get("low").isNull()).isTrue();
    assertThat(row.get("met").asText()).isEqualTo("yes");
  }

  @Test
  void whatWasNotMeasuredIsNullAndNotMet() throws IOException {
    JsonNode row = new JsonMapper().readTree(REPORT.json()).get("rows").get(1);
    assertThat(row.get("ratio").isNull()).isTrue();
    assertThat(row.get("met").asText()).isEqualTo("no");
    assertThat(row.get("note").asText()).isEqualTo("not measured: no files left");
  }

  @Test
  void tableShowsLatenciesInMilliseconds() {
    assertThat(MarkdownTable.of(REPORT))
        .contains(
            "| V2 binary | rate ÷ ceiling's | 0.80 |  | 0.65 | yes | 52,801 | 1.11 | 4.29 | 20.0 |"
                + " 66,000 | 24.0 | 1.20 |  | 64 connections |")
        .contains("| idle |  |  |  |  | no |  |  |  |  |  |  |  |  | not measured: no files left |")
        .endsWith("2026-01-02; 2 × a processor; medians of 3 rounds of 3 s per side.\n");
  }

  @Test
  void tableReplacesTheLastOneOfThePage(@TempDir Path folder) throws IOException {
    Path page = folder.resolve("README.md");
    Files.copy(Path.of("loadtest/README.md"), page);
    MarkdownTable.putInto(page, REPORT);
    MarkdownTable.putInto(page, REPORT);
    assertThat(Files.readString(page))
        .containsOnlyOnce(MarkdownTable.of(REPORT))
        .startsWith("# How fast it is");
  }

  @Test
  void pageNeedsNoOtherFile(@TempDir Path folder) throws IOException {
    REPORT.writeTo(folder);
    String page = Files.readString(folder.resolve("report.html"));
    assertThat(page)
        .contains("V1 <\\/script>", "Chart.js v")
        .doesNotContain("src=", "/* the report */null", "/* the library */");
    assertThat(folder.resolve("report.json")).exists();
    assertThat(folder.resolve("report.md")).exists();
  }
}
