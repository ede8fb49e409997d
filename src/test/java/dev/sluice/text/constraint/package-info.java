@NullMarked
package dev.sluice.text.constraint;

import org.jspecify.annotations.NullMarked;
