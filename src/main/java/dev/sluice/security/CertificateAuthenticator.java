package dev.sluice.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.config.security.ApiKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Recognises the client by its certificate: {@code cert:SUBJECT}, {@code dns:NAME} and {@code
 * uri:NAME} for its alternative names of these types, and its SPIFFE id. A name of one type never
 * counts as one of another, whatever its text looks like, and what is none of its type is left out.
 * That an authority of the listener has signed it was checked before.
 */
final class CertificateAuthenticator implements Authenticator {
  private static final int DNS = 2;
  private static final int URI = 6;

  /** A name of the DNS, with an asterisk where certificates have one; no other character counts. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._*-]{1,255}");

  /** Trust domain and path of an id (SPIFFE-ID, section 2): no query, no fragment, no dot alone. */
  private static final Pattern SPIFFE =
      Pattern.compile("spiffe://[a-z0-9._-]{1,255}(/(?!\\.{1,2}(/|$))[A-Za-z0-9._-]+)*");

  /**
   * Whom a certificate names.
   *
   * @param from milliseconds of the first instant of its time
   * @param until milliseconds of the last one
   */
  private record Known(Identity identity, long from, long until) {}

  /** By the object: a connection has one, and reading a certificate takes a while. */
  private final Cache<X509Certificate, Known> known =
      Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

  private final InstantSource clock;

  CertificateAuthenticator(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * Identifies the client. Connections may outlast their certificates, and the JDK accepts one that
   * is an authority itself whatever its time is.
   */
  @Override
  public Optional<Identity> identify(Credentials presented) {
    X509Certificate certificate = presented.certificate();
    if (certificate == null) {
      return Optional.empty();
    }
    Known found = known.get(certificate, CertificateAuthenticator::read);
    long now = clock.millis();
    if (now < found.from || now > found.until) {
      throw BearerAuthenticator.refusal(
          "the client's certificate is valid from %s to %s only"
              .formatted(Instant.ofEpochMilli(found.from), Instant.ofEpochMilli(found.until)));
    }
    return Optional.of(found.identity);
  }

  private static Known read(X509Certificate certificate) {
    return new Known(
        identity(certificate),
        certificate.getNotBefore().toInstant().toEpochMilli(),
        certificate.getNotAfter().toInstant().toEpochMilli());
  }

  private static Identity identity(X509Certificate certificate) {
    List<String> names = new ArrayList<>();
    String subject = certificate.getSubjectX500Principal().getName();
    if (!subject.isEmpty()) {
      names.add("cert:" + subject);
    }
    List<String> uris = alternatives(certificate, URI);
    // A SPIFFE id is the only URI of its certificate.
    if (uris.size() == 1 && SPIFFE.matcher(uris.getFirst()).matches()) {
      names.add(uris.getFirst());
    }
    alternatives(certificate, DNS).stream()
        .filter(name -> NAME.matcher(name).matches())
        .forEach(name -> names.add("dns:" + name));
    uris.forEach(name -> names.add("uri:" + name));
    if (names.isEmpty()) {
      String key = Base64.getEncoder().encodeToString(certificate.getPublicKey().getEncoded());
      names.add("cert:#" + HexFormat.of().formatHex(ApiKey.hash(key)));
    }
    return Identity.authenticated(
        names.getFirst(), names.subList(1, names.size()).toArray(String[]::new));
  }

  /** Returns the subject's alternative names of one kind: each is a list of its kind and itself. */
  private static List<String> alternatives(X509Certificate certificate, int kind) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      return names == null
          ? List.of()
          : names.stream()
              .filter(name -> name.getFirst().equals(kind))
              .map(name -> String.valueOf(name.get(1)))
              .toList();
    } catch (CertificateParsingException e) {
      throw BearerAuthenticator.refusal("the names of the client's certificate cannot be read");
    }
  }
}
