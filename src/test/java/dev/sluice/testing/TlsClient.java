package dev.sluice.testing;

import io.grpc.Grpc;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Opens clients that show a certificate.
 *
 * @param server whom they trust
 * @param identity what they show
 */
public record TlsClient(SelfSigned server, SelfSigned identity) {
  /** A client over HTTP, which the caller closes. */
  public HttpClient http() throws GeneralSecurityException {
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(server.store());
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(identity.store(), SelfSigned.PASSWORD.toCharArray());
    var context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }

  /** A client over gRPC to a port of this machine, which the caller closes. */
  public RawGrpc grpc(int port) throws IOException {
    var shown =
        TlsChannelCredentials.newBuilder()
            .trustManager(server.certificate().toFile())
            .keyManager(identity.certificate().toFile(), identity.key().toFile())
            .build();
    return new RawGrpc(Grpc.newChannelBuilderForAddress("localhost", port, shown).build());
  }
}
