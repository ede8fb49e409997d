package dev.sluice.transport.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientAddressTest {
  /** A channel whose client has an address of the internet. */
  private static final class ChannelOf extends EmbeddedChannel {
    private final byte[] address;

    ChannelOf(int... address) {
      this.address = new byte[address.length];
      for (int i = 0; i < address.length; i++) {
        this.address[i] = (byte) address[i];
      }
    }

    @Override
    public SocketAddress remoteAddress() {
      try {
        return new InetSocketAddress(InetAddress.getByAddress(address), 5);
      } catch (UnknownHostException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void aSpanHasTheAddressAndThePortByThemselves() {
    Map<String, Object> facts = new LinkedHashMap<>();
    ClientAddress.describe("[::1]:5", facts);
    assertThat(facts).containsEntry("client.address", "::1").containsEntry("client.port", 5L);
    facts.clear();
    ClientAddress.describe("/tmp/socket", facts);
    assertThat(facts).containsOnlyKeys("client.address");
    ClientAddress.describe(null, facts);
    assertThat(facts).containsEntry("client.address", "/tmp/socket");
  }

  @Test
  void addressAndPortAreShownAsInAllOtherLines() {
    assertThat(ClientAddress.of(new ChannelOf(127, 0, 0, 1))).hasToString("127.0.0.1:5");
    assertThat(ClientAddress.of(new ChannelOf(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        .hasToString("[::1]:5");
  }
}
