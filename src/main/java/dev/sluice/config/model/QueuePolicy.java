package dev.sluice.config.model;

import java.time.Duration;

/**
 * The queue policy of one priority level, as in a Triton configuration.
 *
 * @param delays whether who has waited too long stays, behind all others of the level; else it is
 *     refused
 * @param timeout how long one may wait; zero: for as long as its caller does
 * @param overridable whether a request may name a shorter time
 * @param maxSize requests of this level that may wait; 0: as many as there is room for
 */
public record QueuePolicy(boolean delays, Duration timeout, boolean overridable, int maxSize) {}
