@NullMarked
package dev.sluice.scheduling.ensemble;

import org.jspecify.annotations.NullMarked;
