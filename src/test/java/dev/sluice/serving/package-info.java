/** The crossroads, with a lambda's worth of model behind it. */
@NullMarked
package dev.sluice.serving;

import org.jspecify.annotations.NullMarked;
