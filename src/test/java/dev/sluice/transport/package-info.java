@NullMarked
package dev.sluice.transport;

import org.jspecify.annotations.NullMarked;
