package dev.sluice.security;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Names in a client's certificate, in DER, whose chain was found right. */
final class CertificateFuzz implements FuzzTarget {
  private final CertificateAuthenticator authenticator =
      new CertificateAuthenticator(() -> Instant.EPOCH);

  @Override
  public void accept(byte[] input) {
    X509Certificate certificate;
    try {
      certificate =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(input));
    } catch (CertificateException | ClassCastException e) {
      return;
    }
    Optional<Identity> read =
        Rejection.request(() -> authenticator.identify(new Presented(certificate)));
    if (read != null && read.orElseThrow().name().isEmpty()) {
      throw new AssertionError("no name");
    }
  }

  private record Presented(X509Certificate certificate) implements Credentials {
    @Override
    public @Nullable String header(CharSequence name) {
      return null;
    }
  }
}
