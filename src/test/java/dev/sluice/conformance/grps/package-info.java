/** Requests and answers of grps, replayed against real servers. */
@NullMarked
package dev.sluice.conformance.grps;

import org.jspecify.annotations.NullMarked;
