package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.testing.SelfSigned;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CertificateAuthenticatorTest {
  @TempDir private Path folder;

  private record Shown(@Nullable X509Certificate certificate) implements Credentials {
    @Override
    public @Nullable String header(CharSequence name) {
      return null;
    }
  }

  private static X509Certificate certificate(SelfSigned made) {
    try {
      return (X509Certificate) made.store().getCertificate("own");
    } catch (KeyStoreException e) {
      throw new AssertionError(e);
    }
  }

  private List<String> names(String alternatives) throws Exception {
    SelfSigned made = SelfSigned.createFor(folder, "client", "alice", alternatives);
    X509Certificate certificate = certificate(made);
    return new CertificateAuthenticator(InstantSource.system())
        .identify(new Shown(certificate))
        .orElseThrow()
        .names();
  }

  @Test
  void subjectAndAlternativeNamesAreNames() throws Exception {
    assertThat(names("dns:a.example,dns:b.example,uri:spiffe://example.org/a"))
        .containsExactlyInAnyOrder(
            "cert:CN=alice",
            "authenticated",
            "dns:a.example",
            "dns:b.example",
            "uri:spiffe://example.org/a",
            "spiffe://example.org/a");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spiffe://example.org/ops",
        "evil.com\0.internal.example",
        "a\n.example",
        "\u00e4.x"
      })
  void whatIsNoNameOfTheDnsIsLeftOut(String dns) {
    byte[] name = dns.getBytes(StandardCharsets.UTF_8);
    String text = HexFormat.ofDelimiter(":").formatHex(name);
    String lengths = "2.5.29.17=30:%02x:82:%02x:".formatted(name.length + 2, name.length);
    SelfSigned made = SelfSigned.createWith(folder, "client", "alice", lengths + text);
    assertThat(
            new CertificateAuthenticator(InstantSource.system())
                .identify(new Shown(certificate(made)))
                .orElseThrow()
                .names())
        .containsExactlyInAnyOrder("cert:CN=alice", "authenticated");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spiffe://example.org/ops/../x",
        "spiffe://example.org/ops/./x",
        "spiffe://example.org/ops/..",
        "spiffe://example.org/ops?a=b",
        "spiffe://example.org/ops//x",
        "spiffe://example.org/ops/",
        "spiffe://EXAMPLE.org/ops",
        "spiffe:///ops",
        "SPIFFE://example.org/ops"
      })
  void whatIsNoSpiffeIdIsAnAddressOnly(String address) throws Exception {
    assertThat(names("uri:" + address))
        .contains("uri:" + address)
        .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("spiffe:"));
  }

  @Test
  void oneOfTwoUrisIsNoSpiffeId() throws Exception {
    assertThat(names("uri:spiffe://example.org/a,uri:spiffe://example.org/b"))
        .noneMatch(name -> name.startsWith("spiffe:"));
  }

  @Test
  void aCertificateCountsInItsTimeOnly() {
    SelfSigned made = SelfSigned.createFor(folder, "client", "alice", "dns:a.example");
    X509Certificate certificate = certificate(made);
    Instant end = certificate.getNotAfter().toInstant();
    Instant begin = certificate.getNotBefore().toInstant();
    var now = new AtomicReference<>(end);
    var authenticator = new CertificateAuthenticator(now::get);
    assertThat(authenticator.identify(new Shown(certificate))).isPresent();
    for (Instant outside : List.of(end.plusSeconds(1), begin.minusSeconds(1))) {
      now.set(outside);
      assertThatThrownBy(() -> authenticator.identify(new Shown(certificate)))
          .isInstanceOfSatisfying(
              InferenceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED))
          .hasMessageContaining("valid from " + begin);
    }
  }

  @Test
  void aClientWithoutACertificateIsNotIdentified() {
    assertThat(new CertificateAuthenticator(InstantSource.system()).identify(new Shown(null)))
        .isEmpty();
  }
}
