package dev.sluice.extension;

/** What becomes of one request of several: an answer, or a failure of its own. */
public sealed interface Outcome permits Answer, Refusal {}
