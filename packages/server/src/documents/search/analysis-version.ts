/**
 * Increase this when a passage gets other terms than before. Segments with a lower version are then analyzed again in
 * the background, see `reanalyze-segments.ts`. Searches must find passages in both until that is done.
 */
export const ANALYSIS_VERSION = 2;

/**
 * Larger segments keep their analysis until their documents are processed again. Analyzing a million passages takes
 * half an hour, in which the maintenance thread cannot merge segments of other agents.
 */
export const MAX_REANALYZED_CHUNKS = 1_000_000;
