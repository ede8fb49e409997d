/**
 * Prefix cache: the KV caches of prompts that have run are kept for prompts that begin with the
 * same tokens. Start at {@link dev.sluice.scheduling.prefix.PrefixCache}.
 *
 * <p>Parts: a {@link KeptPrefix} is the tokens of one prompt and a copy of its KV cache; a {@link
 * FoundPrefix} is the part of it that a run begins with. A {@link PromptPrefix} is a stream's view
 * of the cache, and {@link StreamTokens} counts what was computed and what was not. A {@link
 * RunningPrompt} is one that is being computed, for which others wait that begin alike.
 *
 * <p>Memory: the cache owns what it keeps. A run borrows it by reference count, so that it may be
 * given up meanwhile: it is freed when the run has ended.
 *
 * <p>Safety: a prompt's own tokens decide whether a prefix is found, whole and one by one, so no
 * stream sees what another one's prompt said. Since a found prefix makes an answer faster, prompts
 * of different identities do not find each other unless the settings say so: {@link PrefixScope}.
 *
 * <p>Threads: any; nothing here waits for a run or a copy.
 *
 * <p>Units: lengths are tokens; sizes are bytes, of caches and tokens together.
 */
@NullMarked
package dev.sluice.scheduling.prefix;

import org.jspecify.annotations.NullMarked;
