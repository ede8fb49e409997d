/** Tests of brpc's frames, over real sockets and without. */
@NullMarked
package dev.sluice.transport.brpc;

import org.jspecify.annotations.NullMarked;
