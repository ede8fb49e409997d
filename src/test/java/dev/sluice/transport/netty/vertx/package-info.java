/** Tests of what adapts Vert.x. */
@NullMarked
package dev.sluice.transport.netty.vertx;

import org.jspecify.annotations.NullMarked;
