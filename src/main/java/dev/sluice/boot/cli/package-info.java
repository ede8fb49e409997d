/**
 * Commands: what each of them starts, prints and returns. Start at {@link
 * dev.sluice.boot.cli.SluiceCommand}.
 *
 * <p>Threads: the main thread; signals arrive on threads of their own.
 *
 * <p>Units: exit codes are those of {@code src/docs/reference/commands.md}.
 */
@NullMarked
package dev.sluice.boot.cli;

import org.jspecify.annotations.NullMarked;
