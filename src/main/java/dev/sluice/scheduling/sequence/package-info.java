/**
 * Requests that belong together: they run one after another on the same instance, and what some
 * outputs of a run are is what some inputs of the next one are. Start at {@link
 * dev.sluice.scheduling.sequence.SequenceScheduler}.
 *
 * <p>Parts: a request names its sequence by a correlation id and marks its start and end. {@link
 * SequenceSlots} are the sequence slots of each instance; a {@link Sequence} keeps one from its
 * first request to its last, or until it is idle for too long. {@link SequencePlan} adds {@link
 * ControlInput}s and {@link StateTensor}s to a request and takes the states from its response.
 *
 * <p>Memory: a sequence owns its state between runs; a step views it while it runs and replaces it
 * when it has succeeded.
 *
 * <p>Errors: a request of an unknown sequence that does not start one is INVALID_ARGUMENT, in
 * Triton's words. Where the slot of every instance is taken, a new sequence waits for one.
 *
 * <p>Threads: event loops only. What sequences there are is guarded by a lock that is held for a
 * few comparisons; a sequence's state belongs to the thread that runs its one step.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.sequence;

import org.jspecify.annotations.NullMarked;
