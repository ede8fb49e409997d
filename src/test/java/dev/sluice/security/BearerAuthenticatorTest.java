package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BearerAuthenticatorTest {
  private static final String KEY = "0123456789abcdef";

  private final Vertx vertx = Vertx.vertx();
  private final BearerAuthenticator authenticator =
      new BearerAuthenticator(
          Optional.of(
              ApiKeys.of(
                  new ApiKeysConfig(
                      ApiKeysConfig.parse(
                          Path.of("keys"), "ci: " + KEY + "\nops: fedcba9876543210"),
                      Optional.empty()),
                  new ReloadedFiles(vertx))),
          Optional.empty());

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private Optional<Identity> identify(Map<String, String> headers) {
    return authenticator.identify(name -> headers.get(name.toString()));
  }

  @Test
  void aRequestThatPresentsNothingIsNotIdentified() {
    assertThat(identify(Map.of())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "x-api-key, 0123456789abcdef, key:ci",
    "x-api-key, fedcba9876543210, key:ops",
    "authorization, Bearer 0123456789abcdef, key:ci",
    "authorization, bEARER   fedcba9876543210, key:ops",
  })
  void aKeyNamesItsOwner(String header, String value, String name) {
    assertThat(identify(Map.of(header, value)))
        .get()
        .satisfies(identity -> {
          assertThat(identity.name()).isEqualTo(name);
          assertThat(identity.names()).contains("authenticated");
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Bearer",
        "Bearer ",
        "Bearer 0123456789abcdeF",
        "Bearer 0123456789abcde",
        "Bearer 0123456789abcdef0",
        "0123456789abcdef",
        "Basic 0123456789abcdef"
      })
  void whatIsNotValidIsRefusedWithoutShowingIt(String value) {
    assertThatThrownBy(() -> identify(Map.of("authorization", value)))
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED))
        .hasMessageNotContaining("0123");
  }

  @Test
  void twoCredentialsAtOnceAreRefused() {
    assertThatThrownBy(() -> identify(Map.of("x-api-key", KEY, "authorization", "Bearer " + KEY)))
        .hasMessageContaining("wanted one of them");
  }
}
