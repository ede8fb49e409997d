/** What every face can rely on, whatever bytes arrive. */
@NullMarked
package dev.sluice.transport.grpc;

import org.jspecify.annotations.NullMarked;
