/**
 * Runs native sessions in processes of their own, so that what kills such a process costs one model
 * and nothing else. Start at {@link dev.sluice.runtime.isolation.IsolatingProvider}, which stands
 * before a runtime in the server, and at {@link dev.sluice.runtime.isolation.ModelProcess}, which
 * is the other side.
 *
 * <p>Messages go through the standard input and output of the process; tensors through memory that
 * both have mapped ({@link dev.sluice.runtime.isolation.SharedRegion}). Copies: inputs once, from
 * the request's memory into shared memory, where the model reads them; those that lie there
 * already, such as a KV cache that the step before returned, are not copied. Outputs once, from the
 * runtime's memory into shared memory, where encoders read them; small ones once more, out of it,
 * so that it is free for the next run.
 *
 * <p>Parts: {@link IsolatedSession} is the server's side of a session, {@link PeerProcess} its
 * process, {@link ServedSession} the session inside. {@link ProcessMessageWriter} and {@link
 * ProcessMessageReader} carry commands and replies; {@link RegionPool} and {@link SharedTensors}
 * the tensors.
 *
 * <p>Errors: a process that exits fails the run in flight with UNAVAILABLE, and the session is
 * reopened in a new process; {@link ProcessExit} words the reason for log and caller.
 *
 * <p>Threads: as {@link dev.sluice.runtime.ModelSession} says; a thread of each session reads what
 * its process logs.
 */
@NullMarked
package dev.sluice.runtime.isolation;

import org.jspecify.annotations.NullMarked;
