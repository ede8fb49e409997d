package dev.sluice.protocol.oip.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.AccessRow;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OipPathOperationsTest {
  @Test
  void everyResourceHasARowOfTheAccessMatrix() {
    Set<OipPath.Resource> missing = EnumSet.allOf(OipPath.Resource.class);
    for (AccessRow row : AccessRow.HTTP) {
      // Cohere names its own second version.
      if (row.path().startsWith("/v2") && !row.path().equals("/v2/rerank")) {
        OipPath.Resource resource = OipPath.of(row.path()).resource();
        assertThat(row.operation()).as(row.path()).isEqualTo(resource.operation());
        missing.remove(resource);
      }
    }
    assertThat(missing).isEmpty();
  }
}
