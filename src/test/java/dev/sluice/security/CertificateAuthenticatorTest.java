package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.SelfSigned;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateAuthenticatorTest {
  @TempDir private Path folder;

  private record Shown(@Nullable X509Certificate certificate) implements Credentials {
    @Override
    public @Nullable String header(CharSequence name) {
      return null;
    }
  }

  private List<String> names(String alternatives) throws Exception {
    SelfSigned made = SelfSigned.createFor(folder, "client", "alice", alternatives);
    var certificate = (X509Certificate) made.store().getCertificate("own");
    return new CertificateAuthenticator().identify(new Shown(certificate)).orElseThrow().names();
  }

  @Test
  void subjectAndAlternativeNamesAreNames() throws Exception {
    assertThat(names("dns:a.example,dns:b.example,uri:spiffe://example.org/a"))
        .containsExactlyInAnyOrder(
            "cert:CN=alice",
            "authenticated",
            "san:a.example",
            "san:b.example",
            "san:spiffe://example.org/a",
            "spiffe://example.org/a");
  }

  @Test
  void oneOfTwoUrisIsNoSpiffeId() throws Exception {
    assertThat(names("uri:spiffe://example.org/a,uri:spiffe://example.org/b"))
        .noneMatch(name -> name.startsWith("spiffe:"));
  }

  @Test
  void aClientWithoutACertificateIsNotIdentified() {
    assertThat(new CertificateAuthenticator().identify(new Shown(null))).isEmpty();
  }
}
