package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.ControlAccess;
import dev.sluice.config.security.PolicyConfig;
import dev.sluice.config.security.PolicyConfig.Role;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Operation;
import dev.sluice.testing.AccessMatrix;
import dev.sluice.testing.AccessMatrix.Verdict;
import dev.sluice.testing.AccessWire;
import dev.sluice.testing.MatrixServer;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.SelfSigned;
import dev.sluice.testing.TlsClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What callers may do by what their connection proves, by protocol and operation: the user of a
 * Unix domain socket, or a client certificate.
 */
class PeerMatrixIT {
  private static final Set<Role> ALL = EnumSet.allOf(Role.class);
  private static final Set<Role> USE = Set.of(Role.INFERENCE, Role.METADATA, Role.METRICS);
  private static final ListenerConfig LISTENER =
      ListenerConfig.DEFAULT.withPort(0).with(ControlAccess.POLICY);

  @TempDir private static Path folder;
  private static Path models;
  private static SelfSigned own;
  private static SelfSigned alice;

  @TempDir private Path run;

  @BeforeAll
  static void prepare() throws IOException {
    models = MatrixServer.models(folder);
    own = SelfSigned.create(folder, "server");
    alice =
        SelfSigned.createFor(
            folder, "alice", "alice", "dns:alice.example,uri:spiffe://example.org/ns/ops/alice");
  }

  private static PolicyConfig rule(String identity, Set<Role> roles) {
    return new PolicyConfig(List.of(identity), roles, List.of(), List.of());
  }

  private static Verdict verdict(Set<Role> roles, Operation operation) {
    return roles.contains(Role.valueOf(operation.role().name())) ? Verdict.ALLOWED : Verdict.DENIED;
  }

  /** A rule's identity, of the user and group of this process, and what the process may do. */
  record PeerRule(String form, Set<Role> roles, Set<Role> got) {
    String identity(long uid, long gid) {
      return form.formatted(uid, gid, uid + 1, gid + 1);
    }
  }

  static Stream<PeerRule> peerRules() {
    return Stream.of(
        new PeerRule("uid:%1$d", USE, USE),
        new PeerRule("uid:%1$d", ALL, ALL),
        new PeerRule("gid:%2$d", ALL, ALL),
        new PeerRule("uid:%3$d", ALL, Set.of()),
        new PeerRule("gid:%4$d", ALL, Set.of()),
        new PeerRule("authenticated", ALL, Set.of()));
  }

  @ParameterizedTest
  @MethodSource("peerRules")
  void everyProtocolDecidesByTheUserOfASocket(PeerRule rule) throws Exception {
    long uid = ((Number) Files.getAttribute(run, "unix:uid")).longValue();
    long gid = ((Number) Files.getAttribute(run, "unix:gid")).longValue();
    // A rule that names users makes the system be asked.
    var security =
        new SecurityConfig(
            List.of(rule(rule.identity(uid, gid), rule.roles), rule("uid:4294967294", ALL)));
    Path socket = run.resolve("s");
    try (var _ =
            RunningServer.start(
                MatrixServer.settings(models, LISTENER.onSocket(socket), security));
        AccessWire wire = AccessWire.to(socket)) {
      assertThat(AccessMatrix.wrong(wire, operation -> verdict(rule.got, operation))).isEmpty();
    }
  }

  @Test
  void noUserOfThisMachineIsKnownByAPort() throws Exception {
    long uid = ((Number) Files.getAttribute(run, "unix:uid")).longValue();
    var security = new SecurityConfig(List.of(rule("uid:" + uid, ALL)));
    try (var server = RunningServer.start(MatrixServer.settings(models, LISTENER, security));
        AccessWire wire = AccessWire.to(server.port())) {
      assertThat(AccessMatrix.wrong(wire, _ -> Verdict.DENIED)).isEmpty();
    }
  }

  /** A rule's identity, and what a client may do whose certificate has these names. */
  record CertificateRule(String identity, Set<Role> roles, Set<Role> got) {}

  static Stream<CertificateRule> certificateRules() {
    return Stream.of(
        new CertificateRule("cert:CN=alice", USE, USE),
        new CertificateRule("dns:alice.example", USE, USE),
        new CertificateRule("dns:*.example", ALL, ALL),
        new CertificateRule("spiffe://example.org/ns/ops/*", ALL, ALL),
        new CertificateRule("authenticated", USE, USE),
        new CertificateRule("spiffe://example.org/ns/op", ALL, Set.of()),
        new CertificateRule("spiffe://example.org/ns", ALL, Set.of()),
        new CertificateRule("spiffe://example.org.evil/*", ALL, Set.of()),
        new CertificateRule("cert:CN=alice.example", ALL, Set.of()),
        new CertificateRule("dns:alice", ALL, Set.of()),
        new CertificateRule("jwt:alice", ALL, Set.of()));
  }

  @ParameterizedTest
  @MethodSource("certificateRules")
  void everyProtocolDecidesByTheClientsCertificate(CertificateRule rule) throws Exception {
    var tls = new TlsConfig(own.certificate(), own.key(), Optional.of(alice.certificate()));
    var security = new SecurityConfig(List.of(rule(rule.identity, rule.roles)));
    ListenerConfig listener = LISTENER.withTls(Optional.of(tls));
    try (var server = RunningServer.start(MatrixServer.settings(models, listener, security));
        AccessWire wire = AccessWire.to(server.port(), new TlsClient(own, alice))) {
      assertThat(AccessMatrix.wrong(wire, operation -> verdict(rule.got, operation))).isEmpty();
    }
  }
}
