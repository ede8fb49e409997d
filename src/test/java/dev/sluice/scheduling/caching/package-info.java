@NullMarked
package dev.sluice.scheduling.caching;

import org.jspecify.annotations.NullMarked;
