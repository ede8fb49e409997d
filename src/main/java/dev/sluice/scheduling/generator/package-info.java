/**
 * Step functions run in a loop: what a step gave is what the next one takes. Start at {@link
 * dev.sluice.scheduling.generator.Generator}, which is made of a model's settings; {@link
 * dev.sluice.scheduling.generator.DecodeSteps} is one stream of it.
 *
 * <p>What is fed back stays in native memory and changes its owner without a copy; steps that join
 * are copied into one block, natively, as any batch is.
 *
 * <p>Threads: a generator is immutable; a stream's steps belong to one thread at a time, mostly the
 * model's worker, where choices are made too.
 *
 * <p>Units: positions count elements of the sequence from 0.
 */
@NullMarked
package dev.sluice.scheduling.generator;

import org.jspecify.annotations.NullMarked;
