package dev.sluice.scheduling.prefix;

/**
 * Prompts that may begin with each other's prefixes.
 *
 * @param signature the one that they run
 * @param sharer the identity that they are of; empty: any
 */
record PrefixScope(String signature, String sharer) {}
