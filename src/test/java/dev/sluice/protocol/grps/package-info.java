/** Tests of what the faces of grps share. */
@NullMarked
package dev.sluice.protocol.grps;

import org.jspecify.annotations.NullMarked;
