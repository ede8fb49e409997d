/**
 * What Sluice is compared with, each in a process of its own: bare servers on the same transport,
 * another gRPC library, and models run by nobody but a loop.
 *
 * <p>Units: figures that a peer prints are microseconds.
 */
@NullMarked
package dev.sluice.loadtest.peer;

import org.jspecify.annotations.NullMarked;
