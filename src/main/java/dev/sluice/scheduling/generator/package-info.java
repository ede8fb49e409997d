/**
 * Step functions run in a loop: what a step gave is what the next one takes. Start at {@link
 * dev.sluice.scheduling.generator.Generator}, which is made of a model's settings; {@link
 * dev.sluice.scheduling.generator.DecodeSteps} is one stream of it.
 *
 * <p>What is fed back stays in native memory and changes its owner without a copy; steps that join
 * are copied into one block, natively, as any batch is.
 *
 * <p>Parts: {@link GenerationLoop} holds the settings with all names resolved. {@link Tokenizer}
 * turns text into the prompt and tokens into text. {@link PromptState} is the prefill: the prompt,
 * the mask, the positions and an empty KV cache; {@link PromptChunks} cuts it, and {@link
 * PromptInputs} are what its steps run with. {@link StepOutputs} are the logits and the KV cache of
 * one decode step, {@link TokenSampler} chooses a token by the {@link SamplingParameters}, {@link
 * TokenSelection} knows which rows have ended.
 *
 * <p>Streams of different lengths: {@link PaddingProof} finds the side on which rows may be padded,
 * {@link ChunkProof} whether prompts may be cut, {@link PrefixProof} whether they may begin with
 * what earlier ones have left. {@link LoopProof} says so, {@link ProvenLoop} is what streams make
 * of it.
 *
 * <p>Preemption: a stream keeps its tokens, and computes its caches again as those of a longer
 * prompt. What chooses tokens stays as it is.
 *
 * <p>Backpressure: a decode step runs only while the reader has demand, so a slow reader slows the
 * loop and costs no more memory.
 *
 * <p>Errors: sampling parameters out of range and prompts that the model cannot take are
 * INVALID_ARGUMENT, before the first step.
 *
 * <p>Threads: a generator is immutable; a stream's steps belong to one thread at a time, mostly the
 * model's worker, where choices are made too.
 *
 * <p>Units: positions count elements of the sequence from 0.
 */
@NullMarked
package dev.sluice.scheduling.generator;

import org.jspecify.annotations.NullMarked;
