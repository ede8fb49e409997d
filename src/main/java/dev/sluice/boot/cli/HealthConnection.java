package dev.sluice.boot.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.config.binding.ConfigException;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * An open connection to a server, and its two directions. One thread.
 *
 * @param channel what closes it
 */
record HealthConnection(Closeable channel, InputStream in, OutputStream out) implements Closeable {
  static HealthConnection tcp(Socket socket) throws IOException {
    return new HealthConnection(socket, socket.getInputStream(), socket.getOutputStream());
  }

  static HealthConnection unix(Path file) throws IOException {
    SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(file));
    return new HealthConnection(
        channel, Channels.newInputStream(channel), Channels.newOutputStream(channel));
  }

  /**
   * Wraps a connection in TLS.
   *
   * @param authority what the certificate, and then the host's name, is verified by; without it
   *     nothing is verified
   */
  static Socket secure(Socket socket, String host, int port, Optional<Path> authority)
      throws IOException {
    try {
      var context = SSLContext.getInstance("TLS");
      context.init(null, authority.isPresent() ? trust(authority.get()) : anyone(), null);
      var secure = (SSLSocket) context.getSocketFactory().createSocket(socket, host, port, true);
      if (authority.isPresent()) {
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
      }
      secure.startHandshake();
      return secure;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static TrustManager[] trust(Path authority) throws GeneralSecurityException {
    try (InputStream pem = Files.newInputStream(authority)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        store.setCertificateEntry("authority-" + store.size(), each);
      }
      var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory.getTrustManagers();
    } catch (IOException e) {
      throw new ConfigException("cannot read --cacert " + authority + ": " + e);
    }
  }

  private static TrustManager[] anyone() {
    return new TrustManager[] {new Anyone()};
  }

  void write(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /** Returns the first line, up to a length. */
  String readLine(int longest) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int read = in.read(); read >= 0 && read != '\r' && read != '\n'; read = in.read()) {
      if (line.size() < longest) {
        line.write(read);
      } else {
        break;
      }
    }
    return line.toString(ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Trusts every server: what it says of its health is no secret, and nothing else is asked. */
  private static final class Anyone extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(
        X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine) {}

    @Override
    public void checkServerTrusted(
        X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
