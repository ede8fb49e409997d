package dev.sluice.repository;

import dev.sluice.inference.ModelId;

/**
 * Version that is a member of an ensemble.
 *
 * @param load which of its loads it is: a version that was loaded anew may have other tensors
 */
record EnsembleMember(ModelId id, int load) {}
