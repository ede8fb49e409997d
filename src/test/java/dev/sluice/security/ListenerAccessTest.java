package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.inference.access.Caller;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ListenerAccessTest {
  private static final int MOST_REMEMBERED = 1_024;

  private final ListenerAccess access =
      new ListenerAccess(
          ListenerConfig.DEFAULT, SecurityConfig.DEFAULT, List.of(ListenerAccessTest::byHeader));

  private static Optional<Identity> byHeader(Credentials presented) {
    return Optional.ofNullable(presented.header("x-name")).map(Identity::authenticated);
  }

  private Caller caller(int number) {
    return access.caller(_ -> "jwt:" + number);
  }

  @Test
  void rightsOfAnIdentityAreWorkedOutOnce() {
    assertThat(caller(1)).isSameAs(caller(1)).isNotSameAs(caller(2));
  }

  @Test
  void rightsOfMoreIdentitiesThanAreRememberedAreWorkedOutEachTime() {
    for (int i = 0; i < 3 * MOST_REMEMBERED; i++) {
      assertThat(caller(i).identity()).isEqualTo("jwt:" + i);
    }
    assertThat(caller(0)).isSameAs(caller(0));
    int beyond = 2 * MOST_REMEMBERED;
    assertThat(caller(beyond)).isNotSameAs(caller(beyond));
    assertThat(caller(beyond).identity()).isEqualTo("jwt:" + beyond);
  }

  @Test
  void callerWithoutACredentialIsAnonymous() {
    assertThat(access.caller(_ -> null)).isSameAs(access.anonymous());
  }
}
