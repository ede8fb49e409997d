package dev.sluice.config.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeysConfigTest {
  private static final Path FILE = Path.of("keys");

  /** By {@code printf %s 0123456789abcdef | sha256sum}. */
  private static final String HASH =
      "9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f";

  private static List<ApiKey> parse(String text) {
    return ApiKeysConfig.parse(FILE, text);
  }

  @Test
  void aPlainKeyIsKeptAsItsHash() {
    assertThat(parse("ci: 0123456789abcdef")).containsExactly(new ApiKey("ci", HASH));
  }

  @Test
  void aHashIsTakenAsItIs() {
    assertThat(parse("ci=sha256:" + HASH.toUpperCase(java.util.Locale.ROOT)))
        .containsExactly(new ApiKey("ci", HASH));
  }

  @Test
  void aNameMayHaveTwoKeysAndLinesMaySayNothing() {
    assertThat(parse("# keys\n\n  ci: \"0123456789abcdef\"\r\nci: fedcba9876543210\n"))
        .extracting(ApiKey::name)
        .containsExactly("ci", "ci");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ci",
        "ci:",
        "ci: short",
        "ci: sha256:9f9f",
        "ci: sha256:zzzz5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f",
        ": 0123456789abcdef",
        "c i: 0123456789abcdef",
        "ci: 0123456789 abcdef",
        "ci: 0123456789abcdäf",
        "ci: \"0123456789abcdef"
      })
  void aLineOfAnotherFormIsRefusedWithoutShowingIt(String line) {
    assertThatThrownBy(() -> parse("ok: 0123456789abcdef\n" + line))
        .isInstanceOf(ConfigException.class)
        .hasMessage("keys: line 2: wanted " + ApiKey.WANTED);
  }

  @Test
  void noTextShowsAKeyOrItsHash() {
    var config = new ApiKeysConfig(parse("ci: 0123456789abcdef"), java.util.Optional.empty());
    assertThat(config.toString()).contains("ci").doesNotContain("0123", HASH);
  }
}
