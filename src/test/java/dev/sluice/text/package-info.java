@NullMarked
package dev.sluice.text;

import org.jspecify.annotations.NullMarked;
