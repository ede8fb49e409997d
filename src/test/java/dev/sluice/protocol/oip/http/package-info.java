/** Tests of the Open Inference Protocol's decoder and encoder for HTTP, without a server. */
@NullMarked
package dev.sluice.protocol.oip.http;

import org.jspecify.annotations.NullMarked;
