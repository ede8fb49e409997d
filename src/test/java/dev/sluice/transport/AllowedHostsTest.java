package dev.sluice.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.ListenerConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedHostsTest {
  private final AllowedHosts loopback = AllowedHosts.of(ListenerConfig.DEFAULT, true);

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "[::1]"})
  void loopbackIsAllowedWithAndWithoutAPortAgainAndAgain(String authority) {
    assertThat(loopback.contains(authority)).isTrue();
    assertThat(loopback.contains(authority)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"evil.example", "localhost.evil.example", "localhost:80a", "10.0.0.1", "", ":80"})
  void anotherNameIsRefusedBehindOneThatIsAllowed(String authority) {
    assertThat(loopback.contains("localhost:8080")).isTrue();

    assertThat(loopback.contains(authority)).isFalse();
    assertThat(loopback.contains(null)).isFalse();
    assertThat(loopback.contains("localhost:8080")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "192.168.1.2:8080", "[fe80::1]:80"})
  void aListenerOfTheNetworkAllowsAddressesButNoNames(String address) {
    AllowedHosts open = AllowedHosts.of(ListenerConfig.DEFAULT, false);

    assertThat(open.contains(address)).isTrue();
    assertThat(open.contains("evil.example")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[evil.example]", "[fe80::1] [evil.example]:80", "[]", "[fe80::1%evil]"})
  void textInBracketsIsNoAddress(String authority) {
    assertThat(AllowedHosts.of(ListenerConfig.DEFAULT, false).contains(authority)).isFalse();
  }
}
