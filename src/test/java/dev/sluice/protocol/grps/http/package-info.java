/** Tests of grps over HTTP, without a server. */
@NullMarked
package dev.sluice.protocol.grps.http;

import org.jspecify.annotations.NullMarked;
