package dev.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.loadtest.generator.Measurement;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowTest {
  private static Row row(double ours, double ceiling, String note) {
    return Row.ofRates("V2 binary", 0.8, rate(ours), rate(ceiling), note);
  }

  private static Measurement rate(double rate) {
    return new Measurement(rate, 1, 2, 100).withCost(rate, 0);
  }

  @Test
  void repetitionsAreCombinedRowByRow() {
    List<Row> combined =
        Row.combined(
            List.of(
                List.of(row(90, 100, "high"), row(1, 1, "")),
                List.of(row(70, 100, "low"), row(1, 1, "")),
                List.of(row(80, 100, "middle"), row(1, 1, ""))));
    assertThat(combined).hasSize(2);
    Row first = combined.getFirst();
    assertThat(first.ours()).isEqualTo(rate(80));
    assertThat(first.ceiling()).isEqualTo(rate(100));
    assertThat(first.note()).isEqualTo("middle");
    assertThat(first.ratio()).isEqualTo(Interval.of(List.of(0.9, 0.7, 0.8)));
    assertThat(first.cpu()).isEqualTo(Interval.of(List.of(100 / 90.0, 100 / 70.0, 100 / 80.0)));
    assertThat(first.met()).isEqualTo(Verdict.UNCLEAR);
    assertThat(MarkdownTable.line(first)).contains("| 0.80 | 0.58 to 1.09 | 0.80 | unclear | 80 |");
  }

  @Test
  void oneRepetitionStaysAsItIs() {
    Row only = row(90, 100, "");
    assertThat(Row.combined(List.of(List.of(only))))
        .singleElement()
        .satisfies(row -> {
          assertThat(row.ours()).isEqualTo(only.ours());
          assertThat(row.ratio().low()).isNaN();
          assertThat(row.met()).isEqualTo(Verdict.YES);
        });
  }

  @Test
  void notesAreAddedToOnes() {
    assertThat(row(1, 1, "").withNote("not pinned").note()).isEqualTo("not pinned");
    assertThat(row(1, 1, "a").withNote("not pinned").note()).isEqualTo("a; not pinned");
  }
}
