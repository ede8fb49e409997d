package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IdentityTest {
  @Test
  void aPlainNameIsShownAsItIs() {
    assertThat(Identity.authenticated("jwt:Zoë@example.org").name())
        .isEqualTo("jwt:Zoë@example.org");
  }

  @Test
  void aNameCannotBreakALineOrLookLikeAnother() {
    String first = Identity.authenticated("jwt:a\nb").name();
    String second = Identity.authenticated("jwt:a\u202eb").name();
    assertThat(first).startsWith("jwt:a?b...#").isNotEqualTo(second);
    assertThat(second).startsWith("jwt:a?b...#");
  }

  @Test
  void longNamesStayDifferent() {
    String start = "jwt:" + "x".repeat(300);
    String first = Identity.authenticated(start + "1").name();
    assertThat(first).hasSizeLessThan(230).isNotEqualTo(Identity.authenticated(start + "2").name());
  }
}
