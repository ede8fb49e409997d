package dev.sluice.repository.scan;

import java.time.Instant;

/**
 * One file as far as a change of it can be seen without reading it.
 *
 * @param name its path below the folder
 * @param size in bytes
 */
public record FileStamp(String name, long size, Instant modified) {}
