import fc from "fast-check";

/**
 * Properties are checked with the same values in every run, so that only a change can cause a failure.
 * `FOYER_PROPERTY_SEED=random` searches for new counterexamples, and a number replays a run.
 */
const seed = process.env.FOYER_PROPERTY_SEED ?? "20261122";

if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
