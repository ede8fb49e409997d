/** What belongs to no transport in particular. */
@NullMarked
package dev.sluice.transport.connection;

import org.jspecify.annotations.NullMarked;
