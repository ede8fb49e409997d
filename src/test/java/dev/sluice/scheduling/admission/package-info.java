/** How many may enter, by hand-made clocks. */
@NullMarked
package dev.sluice.scheduling.admission;

import org.jspecify.annotations.NullMarked;
