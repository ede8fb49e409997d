/** What belongs to no transport in particular. */
@NullMarked
package dev.sluice.transport;

import org.jspecify.annotations.NullMarked;
