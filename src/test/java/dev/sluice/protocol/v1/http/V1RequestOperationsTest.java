package dev.sluice.protocol.v1.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.AccessRow;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class V1RequestOperationsTest {
  @Test
  void everyRequestHasARowOfTheAccessMatrix() {
    Set<Class<?>> kinds = new HashSet<>(Arrays.asList(V1Request.class.getPermittedSubclasses()));
    Set<V1Request.Verb> verbs = EnumSet.allOf(V1Request.Verb.class);
    kinds.remove(V1Request.Nameless.class); // No dialect answers it.
    for (AccessRow row : AccessRow.HTTP) {
      if (row.path().startsWith("/v1/models")) {
        V1Request request = V1Grammar.read(row.path()).orElseThrow();
        kinds.remove(request.getClass());
        if (request instanceof V1Request.Call(_, var verb)) {
          assertThat(row.operation()).as(row.path()).isEqualTo(verb.operation());
          verbs.remove(verb);
        }
      }
    }
    assertThat(kinds).isEmpty();
    assertThat(verbs).isEmpty();
  }
}
