@NullMarked
package dev.sluice.ops;

import org.jspecify.annotations.NullMarked;
