package dev.sluice.inference.control;

import java.util.Optional;

/**
 * A model that was asked for and did not come up.
 *
 * @param model its name
 * @param version which version failed; empty if none was found
 * @param why what went wrong
 */
public record LoadFailure(String model, Optional<Long> version, VersionStatus.Failure why) {}
