/** What belongs to no transport in particular. */
@NullMarked
package dev.sluice.transport.netty;

import org.jspecify.annotations.NullMarked;
