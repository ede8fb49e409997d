package dev.sluice.boot.infer;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.inference.ErrorCode;
import dev.sluice.transport.http.HttpStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.ExitCode;

/** Counts how responses compare with those that were recorded, and keeps the first differences. */
final class ReplayReport {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  private static final int LONGEST = 300;

  private final Tolerance tolerance;
  private final int shown;
  private final List<String> differences = new ArrayList<>();
  private final Map<String, Integer> skipped = new TreeMap<>();
  private int identical;
  private int near;
  private int different;
  private double largest;

  /**
   * @param shown differences that are kept
   */
  ReplayReport(Tolerance tolerance, int shown) {
    this.tolerance = tolerance;
    this.shown = shown;
  }

  /** Counts a record that was not sent. */
  void skipped(String why) {
    skipped.merge(why, 1, Integer::sum);
  }

  /** Compares a response of V2. */
  void answered(RecordedRequest recorded, byte[] response) {
    if (!recorded.isGood()) {
      differ(recorded, List.of("succeeds, recorded " + recorded.record().path("status").asText()));
      return;
    }
    try {
      JsonNode outputs = JSON.readTree(response).path("outputs");
      var compared = new TensorComparison(tolerance, recorded.record().path("outputs"), outputs);
      largest = Math.max(largest, compared.largest());
      if (!compared.differences().isEmpty()) {
        differ(recorded, compared.differences());
      } else if (compared.isExact()) {
        identical++;
      } else {
        near++;
      }
    } catch (IOException e) {
      differ(recorded, List.of("the response is no JSON: " + e.getMessage()));
    }
  }

  /** Compares a refusal by a status of HTTP. */
  void refused(RecordedRequest recorded, InferFailure failure) {
    String status = recorded.record().path("status").asText();
    if (!recorded.isGood() && HttpStatus.of(code(status)) == failure.status()) {
      identical++;
    } else {
      differ(recorded, List.of("fails with %s, recorded %s".formatted(cut(failure), status)));
    }
  }

  private static ErrorCode code(String status) {
    try {
      return ErrorCode.valueOf(status);
    } catch (IllegalArgumentException e) {
      return ErrorCode.UNKNOWN;
    }
  }

  private static String cut(InferFailure failure) {
    String text = String.valueOf(failure.getMessage());
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }

  private void differ(RecordedRequest recorded, List<String> how) {
    different++;
    for (String difference : how) {
      if (differences.size() < shown) {
        differences.add(recorded.name() + ", " + recorded.model() + ": " + difference);
      }
    }
  }

  /** Prints counts, reasons and differences. */
  void print(PrintWriter out) {
    out.printf("requests compared   %d%n", compared());
    out.printf("  identical         %d%n", identical);
    out.printf(
        "  within tolerance  %d%s%n",
        near, near == 0 ? "" : ", largest difference " + TensorComparison.shown(largest));
    out.printf("  different         %d%n", different);
    skipped.forEach((why, count) -> out.printf("  skipped           %d, %s%n", count, why));
    differences.forEach(out::println);
    if (different > 0 && differences.size() >= shown) {
      out.println("further differences are not shown (--show)");
    }
  }

  private int compared() {
    return identical + near + different;
  }

  int exitCode() {
    if (compared() == 0) {
      return ExitCode.USAGE;
    }
    return different == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
  }
}
