/** Messages of calls cut out of bodies. */
@NullMarked
package dev.sluice.transport.grpc.message;

import org.jspecify.annotations.NullMarked;
