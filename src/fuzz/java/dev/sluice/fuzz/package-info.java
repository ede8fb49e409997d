/**
 * Coverage-guided fuzzing of whatever reads bytes or text from outside. {@link
 * dev.sluice.fuzz.FuzzTarget} is the type to read first: one class for each decoder, named {@code
 * ...Fuzz} and in the package of what it fuzzes. {@link dev.sluice.fuzz.FuzzRun} fuzzes for real,
 * by {@code make fuzz}; {@code CorpusReplayTest} replays the kept inputs of {@code src/fuzz/corpus}
 * in every build. Nothing here needs the fuzzer to compile. Test code; one thread.
 */
@NullMarked
package dev.sluice.fuzz;

import org.jspecify.annotations.NullMarked;
