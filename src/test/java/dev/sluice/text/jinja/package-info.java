@NullMarked
package dev.sluice.text.jinja;

import org.jspecify.annotations.NullMarked;
