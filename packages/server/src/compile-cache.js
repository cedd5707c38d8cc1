import { enableCompileCache, getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * Enables Node's compile cache for this process and for its threads. From the second start on, it saves stripping types
 * and compiling, which take a third of a start and two thirds of the start of a thread. The entry points are
 * JavaScript, because Node would load its type stripper (14 MB) for a TypeScript file that is read before the cache is
 * enabled.
 */
enableCompileCache();
const folder = getCompileCacheDir();
// Node appends a folder for its version, so threads are given the parent.
if (folder) process.env.NODE_COMPILE_CACHE ??= dirname(folder);

// The stack traces of the bundle name the sources.
process.setSourceMapsEnabled(true);
