package dev.sluice.security;

/**
 * The process at the other end of a Unix domain socket, as the system vouches for it.
 *
 * @param uid its user, when it connected
 * @param gid its group
 */
public record UnixPeer(long uid, long gid) {}
