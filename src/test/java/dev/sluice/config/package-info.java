/** The rules that hold for the whole project. The other test packages mirror the main ones. */
@NullMarked
package dev.sluice.config;

import org.jspecify.annotations.NullMarked;
