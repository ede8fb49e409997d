package dev.sluice.repository;

import java.time.Instant;

/**
 * One file as far as a change of it can be seen without reading it.
 *
 * @param name its path below the folder
 * @param size in bytes
 */
record FileStamp(String name, long size, Instant modified) {}
